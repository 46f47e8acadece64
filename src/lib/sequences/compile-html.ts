import { compile } from 'html-to-text'
import { type FieldPlace, readFieldPlaces } from './field-places.ts'
import { closeOfField, lineAndColumn, type MergeField, parseTemplate, type TemplateError } from './merge-fields.ts'

export type HtmlField = MergeField & { place: FieldPlace }

/** A text, or the number of the field that stands between two of them. */
export type Piece = string | number

export type CompiledHtml = {
  fields: HtmlField[]
  /** As written, up to where the footer goes, and from there on. */
  beforeFooter: Piece[]
  afterFooter: Piece[]
  /** The same for those who read text. */
  text: Piece[]
}

export type HtmlCompiling = { ok: true; html: CompiledHtml } | { ok: false; errors: TemplateError[] }

/** Everything about a step's HTML that no prospect changes; made once, used for all of them. */
export function compileHtml(source: string): HtmlCompiling {
  const { parts, errors } = parseTemplate(source)
  if (errors.length > 0) return { ok: false, errors }
  const mark = markFor(source)
  const named: (MergeField & { at: number })[] = []
  // With one letter for each field, HTML is read just as it will be with any value that is escaped for its place.
  let letters = ''
  let marked = ''
  const holes: number[] = []
  let at = 0
  for (const part of parts) {
    if (part.kind === 'text') {
      letters += part.text
      marked += part.text
      at += part.text.length
    } else {
      holes.push(letters.length)
      letters += 'x'
      marked += mark(named.length)
      named.push({ field: part.field, fallback: part.fallback, at })
      at = closeOfField(source, at + 2) + 2
    }
  }
  const { places, endOfBody, problem } = readFieldPlaces(letters, holes)
  const misplaced = places.flatMap((place, index) => {
    const start = named[index]?.at ?? 0
    return place.kind === 'nowhere' ? [{ at: start, ...lineAndColumn(source, start), sentence: place.sentence }] : []
  })
  if (problem) misplaced.push({ at: source.length, ...lineAndColumn(source, source.length), sentence: problem })
  if (misplaced.length > 0) return { ok: false, errors: misplaced }

  const fields = named.map(({ field, fallback }, index) => ({ field, fallback, place: places[index] as FieldPlace }))
  const isBefore = (hole: number) => hole < endOfBody
  const fieldsBefore = holes.filter(isBefore).length
  // Each mark is two units long where the letter was one.
  const cut = endOfBody + fieldsBefore
  return {
    ok: true,
    html: {
      fields,
      beforeFooter: piecesOf(marked.slice(0, cut), mark),
      afterFooter: piecesOf(marked.slice(cut), mark),
      text: piecesOf(toText(marked), mark),
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
  },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['<', '>'] } },
    { selector: 'img', format: 'alternative' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, ...AS_WRITTEN })),
  ],
})
