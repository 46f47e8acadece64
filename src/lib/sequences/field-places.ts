import { QuoteType, Tokenizer } from 'htmlparser2'
import { type AttributeValue, type FieldPlace, nowhere } from './field-place.ts'
import { readLink } from './link-places.ts'

export type ReadHtml = {
  /** In the order of the holes. */
  places: FieldPlace[]
  /** Where something may be appended so that it shows: before the end of the body. */
  endOfBody: number
  /** Why nothing appended would show. */
  problem?: string
}

export const LINKS = new Set([
  ...['href', 'src', 'action', 'formaction', 'background', 'cite', 'poster', 'longdesc', 'xlink:href'],
])
/** Several links, or a language of its own: no escaping makes a field safe there. */
const REFUSED = /^(on.*|style|srcset|srcdoc|imagesrcset|content|http-equiv|ping|data|code|codebase|archive)$/
const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'plaintext', 'template'])

const nothing = () => undefined
/** The tokenizer wants an answer to everything. */
const SILENT = {
  ontext: nothing,
  ontextentity: nothing,
  onopentagname: nothing,
  onclosetag: nothing,
  onopentagend: nothing,
  onselfclosingtag: nothing,
  onattribname: nothing,
  onattribdata: nothing,
  onattribentity: nothing,
  onattribend: nothing,
  oncomment: nothing,
  oncdata: nothing,
  ondeclaration: nothing,
  onprocessinginstruction: nothing,
  onend: nothing,
}

/**
 * Reads HTML whose fields are each one letter, at `holes`: a letter is read the same as any value that is escaped for its
 * place, so that one reading serves all prospects. Holes are met in their order, and each is looked at once.
 */
export function readFieldPlaces(html: string, holes: readonly number[], inComment = false): ReadHtml {
  const places: (FieldPlace | undefined)[] = []
  let next = 0
  const holesWithin = (start: number, stop: number): number[] => {
    while ((holes[next] ?? start) < start) next += 1
    const from = next
    while ((holes[next] ?? stop) < stop) next += 1
    return holes.slice(from, next)
  }
  const put = (start: number, stop: number, place: FieldPlace) => {
    const count = holesWithin(start, stop).length
    for (let index = next - count; index < next; index += 1) places[index] = place
  }
  const end = html.length
  let endOfBody = end
  let raw: string | undefined
  let appendedShows = false
  let tag = ''
  let attribute = { name: '', value: [] as AttributeValue[number][] }
  const reader = new Tokenizer(
    // What a link says is what is left when its entities are read.
    { decodeEntities: true },
    {
      ...SILENT,
      ontext: (start, stop) => put(start, stop, raw ? nowhere(`inside <${raw}>`) : { kind: 'text' }),
      onopentagname: (start, stop) => {
        appendedShows ||= start === end + 1
        tag = html.slice(start, stop).toLowerCase()
        if (!raw && RAW.has(tag)) raw = tag
      },
      onclosetag: (start, stop) => {
        const name = html.slice(start, stop).toLowerCase()
        if (name === raw) raw = undefined
        if (!raw && name === 'body') endOfBody = html.lastIndexOf('<', start)
      },
      onattribname: (start, stop) => {
        attribute = { name: html.slice(start, stop).toLowerCase(), value: [] }
      },
      onattribdata: (start, stop) => {
        const within = holesWithin(start, stop)
        let from = start
        for (const [index, hole] of within.entries()) {
          attribute.value.push(html.slice(from, hole), { field: next - within.length + index })
          from = hole + 1
        }
        attribute.value.push(html.slice(from, stop))
      },
      onattribentity: (codePoint) => attribute.value.push(String.fromCodePoint(codePoint)),
      onattribend: (quote) => {
        const fields = attribute.value.filter((piece) => typeof piece === 'object')
        if (fields.length === 0) return
        const found = placesInAttribute(attribute, raw, quote !== QuoteType.Unquoted)
        for (const [index, { field }] of fields.entries()) places[field] = found[index]
      },
      oncomment: (start, stop) => {
        const within = holesWithin(start, stop)
        if (within.length === 0) return
        const inner = inComment ? -1 : conditionalEnd(html, start, stop)
        const first = next - within.length
        const read = within.map((hole) => hole - Math.max(inner, 0)).filter((hole) => inner >= 0 && hole >= 0)
        const inside = inner < 0 ? [] : readFieldPlaces(html.slice(inner, stop), read, true).places
        const before = within.length - inside.length
        for (let index = 0; index < within.length; index += 1)
          places[first + index] = { ...(inside[index - before] ?? { kind: 'comment' }), inComment: true }
      },
    },
  )
  reader.write(html)
  const openAtEnd = raw
  // A tag that is put behind the end must be read as a tag; behind an open one or a comment nobody would ever see it.
  reader.write('<p>')
  reader.end()
  const problem = openAtEnd ? endsInside(`<${openAtEnd}>`) : appendedShows ? undefined : endsInside('a tag or comment')
  const found = holes.map((_, index) => places[index] ?? nowhere('in the name of a tag or attribute'))
  return {
    places: found,
    endOfBody: problem === undefined ? endOfBody : end,
    ...(problem === undefined ? {} : { problem }),
  }
}

/** Where the HTML begins that Outlook reads in a comment, or -1: nobody reads what is in any other. */
function conditionalEnd(html: string, start: number, stop: number): number {
  if (!/^\[if\b/i.test(html.slice(start, start + 4))) return -1
  const begin = html.indexOf(']>', start)
  return begin < 0 || begin >= stop ? -1 : begin + 2
}

type Attribute = { name: string; value: AttributeValue }

/** One place for each field of an attribute, in their order. */
function placesInAttribute({ name, value }: Attribute, raw: string | undefined, quoted: boolean): FieldPlace[] {
  if (!raw && LINKS.has(name) && !REFUSED.test(name)) return readLink(value, quoted)
  const place: FieldPlace = raw
    ? nowhere(`inside <${raw}>`)
    : REFUSED.test(name)
      ? nowhere(`in the attribute ${name}`)
      : { kind: 'attribute', quoted }
  return value.filter((piece) => typeof piece === 'object').map(() => place)
}

const endsInside = (what: string) =>
  `The HTML ends inside ${what}; close it, so that what stands below the email shows.`
