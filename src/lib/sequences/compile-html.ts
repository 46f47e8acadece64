import { compile } from 'html-to-text'
import { authorProblems } from './author-problems.ts'
import type { FieldPlace } from './field-place.ts'
import { readFieldPlaces } from './field-places.ts'
import { PROBLEMS_MAX } from './limits.ts'
import { placesIn } from './line-and-column.ts'
import { templateOf } from './merge-fields.ts'
import { onceForEach } from './once-for-each.ts'
import { closeOfField, type MergeField, type TemplateError } from './template.ts'

export type HtmlField = MergeField & { place: FieldPlace }

/** A text, or the number of the field that stands between two of them. */
export type Piece = string | number

export type CompiledHtml = {
  fields: HtmlField[]
  /** As written, up to where the footer goes, and from there on. */
  beforeFooter: Piece[]
  afterFooter: Piece[]
  /** The same for those who read text. Made when it is first wanted, since a step may have a text of its own. */
  text: () => Piece[]
}

export type HtmlCompiling =
  /** `problems`: what keeps it from a launch; it can be shown, and what was launched before goes on. */
  { ok: true; html: CompiledHtml; problems: TemplateError[] } | { ok: false; errors: TemplateError[] }

/** Everything about a step's HTML that no prospect changes; made once, used for all of them. */
export const compiledHtmlOf = onceForEach(compileHtml)

export function compileHtml(source: string): HtmlCompiling {
  const { parts, errors } = templateOf(source)
  if (errors.length > 0) return { ok: false, errors: [...errors] }
  const mark = markFor(source)
  const named: (MergeField & { at: number; end: number })[] = []
  // With one letter for each field, HTML is read just as it will be with any value that is escaped for its place.
  const letters: string[] = []
  const marked: string[] = []
  const holes: number[] = []
  let at = 0
  let length = 0
  for (const part of parts) {
    if (part.kind === 'text') {
      letters.push(part.text)
      marked.push(part.text)
      at += part.text.length
      length += part.text.length
    } else {
      const end = closeOfField(source, at + 2) + 2
      holes.push(length)
      letters.push('x')
      marked.push(mark(named.length))
      named.push({ field: part.field, fallback: part.fallback, at, end })
      at = end
      length += 1
    }
  }
  const html = letters.join('')
  const ofAuthor = authorProblems(html)
  const { places, endOfBody, problem } = readFieldPlaces(
    ofAuthor.isTooMuch ? '' : html,
    ofAuthor.isTooMuch ? [] : holes,
  )
  const placeOf = placesIn(source)
  const refused = places.flatMap((place, index) =>
    place.kind === 'nowhere' ? [{ at: named[index]?.at ?? 0, sentence: place.sentence }] : [],
  )
  /** Where in the source what stands in the letters was written. */
  const inSource = (letter: number) => {
    const before = holes.findLastIndex((hole) => hole < letter)
    return before < 0 ? letter : (named[before]?.end ?? 0) + letter - (holes[before] ?? 0) - 1
  }
  if (problem) refused.push({ at: source.length, sentence: problem })
  const ofTheAuthor = ofAuthor.problems.map(({ at, sentence }) => ({ at: inSource(at), sentence }))
  const placed = (some: readonly { at: number; sentence: string }[]) =>
    some
      .toSorted((one, other) => one.at - other.at)
      .slice(0, PROBLEMS_MAX)
      .map(({ at, sentence }) => ({ at, ...placeOf(at), sentence }))
  if (refused.length > 0 || ofAuthor.isTooMuch) return { ok: false, errors: placed([...refused, ...ofTheAuthor]) }

  const fields = named.map(({ field, fallback }, index) => ({ field, fallback, place: places[index] as FieldPlace }))
  const isBefore = (hole: number) => hole < endOfBody
  const fieldsBefore = holes.filter(isBefore).length
  // Each mark is two units long where the letter was one.
  const cut = endOfBody + fieldsBefore
  const whole = marked.join('')
  let text: Piece[] | undefined
  return {
    ok: true,
    problems: placed(ofTheAuthor),
    html: {
      fields,
      beforeFooter: piecesOf(whole.slice(0, cut), mark),
      afterFooter: piecesOf(whole.slice(cut), mark),
      text: () => {
        text ??= piecesOf(toText(whole), mark)
        return text
      },
    },
  }
}

const PLANES = [0xf0000, 0x100000]
const PLANE_SIZE = 0xfffe

/** One character for each field, of those that mean nothing to anybody; of the other plane where the author uses them. */
function markFor(source: string): Mark {
  const plane = /[\u{F0000}-\u{FFFFD}]/u.test(source) ? PLANES[1] : PLANES[0]
  const base = plane ?? 0
  return Object.assign((index: number) => String.fromCodePoint(base + (index % PLANE_SIZE)), { base })
}

type Mark = ((index: number) => string) & { base: number }

function piecesOf(marked: string, { base }: Mark): Piece[] {
  const pieces: Piece[] = []
  for (const piece of marked.split(base === PLANES[0] ? /([\u{F0000}-\u{FFFFD}])/u : /([\u{100000}-\u{10FFFD}])/u)) {
    const code = piece.length === 2 ? (piece.codePointAt(0) ?? 0) : 0
    if (code >= base && code < base + PLANE_SIZE) pieces.push(code - base)
    else if (piece !== '') pieces.push(piece)
  }
  return pieces
}

const AS_WRITTEN = { options: { uppercase: false } }

const toText = compile({
  wordwrap: false,
  formatters: {
    // What a picture shows, not where it lies.
    alternative: (element, _walk, builder) => {
      const text = element.attribs?.alt
      if (text) builder.addInline(text)
    },
    // A space is enough, and is none where a cell holds paragraphs: most tables of mails only lay out.
    cell: (element, walk, builder) => {
      builder.addInline(' ')
      walk(element.children, builder)
      builder.addInline(' ')
    },
  },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['<', '>'] } },
    { selector: 'img', format: 'alternative' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, ...AS_WRITTEN })),
  ],
})
