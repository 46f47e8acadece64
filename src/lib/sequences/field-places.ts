import { QuoteType, Tokenizer } from 'htmlparser2'

/** Where in HTML a field stands: what its value must be made into so that it can only ever be what it stands for there. */
export type FieldPlace =
  | { kind: 'text' }
  | { kind: 'attribute'; quoted: boolean }
  /** The field begins a link: its value decides where it leads. */
  | { kind: 'link'; quoted: boolean; mayBeMail: boolean }
  /** The field goes on with a link whose beginning is written. */
  | { kind: 'part-of-link'; quoted: boolean; encode: 'path' | 'mail' | 'component' }
  | { kind: 'comment' }
  | { kind: 'nowhere'; sentence: string }

export type ReadHtml = {
  /** In the order of the holes. */
  places: FieldPlace[]
  /** Where something may be appended so that it shows: before the end of the body. */
  endOfBody: number
  /** Why nothing appended would show. */
  problem?: string
}

const LINKS = new Set(['href', 'src', 'action', 'formaction', 'background', 'cite', 'poster', 'longdesc', 'xlink:href'])
/** Several links, or a language of its own: no escaping makes a field safe there. */
const REFUSED = /^(on.*|style|srcset|srcdoc|imagesrcset|content|http-equiv|ping|data|code|codebase|archive)$/
const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'plaintext', 'template'])
const BEGINS_SAFELY = /^(https?:\/\/|mailto:|tel:|sms:|#)/i

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
 * place, so that one reading serves all prospects.
 */
export function readFieldPlaces(html: string, holes: readonly number[]): ReadHtml {
  const places = new Map<number, FieldPlace>()
  const within = (start: number, end: number) => holes.filter((hole) => hole >= start && hole < end)
  const put = (start: number, end: number, place: (hole: number) => FieldPlace) => {
    for (const hole of within(start, end)) places.set(hole, place(hole))
  }
  const end = html.length
  let endOfBody = end
  let raw: string | undefined
  let attribute = { name: '', from: -1, to: -1 }
  const reader = new Tokenizer(
    { decodeEntities: false },
    {
      ...SILENT,
      ontext: (start, stop) => put(start, stop, () => (raw ? nowhere(`inside <${raw}>`) : { kind: 'text' })),
      onopentagname: (start, stop) => {
        const name = html.slice(start, stop).toLowerCase()
        if (!raw && RAW.has(name)) raw = name
      },
      onclosetag: (start, stop) => {
        const name = html.slice(start, stop).toLowerCase()
        if (name === raw) raw = undefined
        if (!raw && name === 'body') endOfBody = html.lastIndexOf('<', start)
      },
      onattribname: (start, stop) => {
        attribute = { name: html.slice(start, stop).toLowerCase(), from: -1, to: -1 }
      },
      onattribdata: (start, stop) => {
        if (attribute.from < 0) attribute.from = start
        attribute.to = stop
      },
      onattribend: (quote) => {
        const { name, from, to } = attribute
        if (from < 0) return
        put(from, to, (hole) =>
          raw
            ? nowhere(`inside <${raw}>`)
            : placeInAttribute(name, quote !== QuoteType.Unquoted, html.slice(from, hole), within(from, hole).length),
        )
      },
      oncomment: (start, stop) => put(start, stop, () => ({ kind: 'comment' })),
    },
  )
  reader.write(html)
  const problem = problemAtEnd(html, raw)
  reader.end()
  const found = holes.map((hole) => places.get(hole) ?? nowhere('in the name of a tag or attribute'))
  return {
    places: found,
    endOfBody: problem === undefined ? endOfBody : end,
    ...(problem === undefined ? {} : { problem }),
  }
}

function placeInAttribute(name: string, quoted: boolean, before: string, fieldsBefore: number): FieldPlace {
  if (REFUSED.test(name)) return nowhere(`in the attribute ${name}`)
  if (!LINKS.has(name)) return { kind: 'attribute', quoted }
  const written = before.trimStart()
  if (written === '') return { kind: 'link', quoted, mayBeMail: name === 'href' }
  // After a field that began the link, its scheme is known; otherwise the written text has to say it.
  const begun = fieldsBefore > 0 && !BEGINS_SAFELY.test(written)
  if (begun) return { kind: 'part-of-link', quoted, encode: 'component' }
  if (!BEGINS_SAFELY.test(written)) return nowhere('in a link that does not begin with https://')
  if (/[?#]/.test(written)) return { kind: 'part-of-link', quoted, encode: 'component' }
  return { kind: 'part-of-link', quoted, encode: /^https?:/i.test(written) ? 'path' : 'mail' }
}

/** A tag that is put behind the end must be read as a tag; behind an open one or a comment nobody would ever see it. */
function problemAtEnd(html: string, raw: string | undefined): string | undefined {
  if (raw) return `The HTML ends inside <${raw}>; close it, so that what stands below the email shows.`
  let shows = false
  const reader = new Tokenizer(
    { decodeEntities: false },
    {
      ...SILENT,
      onopentagname: (start) => {
        shows ||= start === html.length + 1
      },
    },
  )
  reader.write(`${html}<p>`)
  reader.end()
  return shows
    ? undefined
    : 'The HTML ends inside a tag or comment; close it, so that what stands below the email shows.'
}

function nowhere(where: string): FieldPlace {
  return { kind: 'nowhere', sentence: `A field cannot stand ${where}.` }
}
