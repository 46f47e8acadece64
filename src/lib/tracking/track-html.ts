import { QuoteType, Tokenizer } from 'htmlparser2'
import { LINKS_MAX, signTracking, trackableTarget } from './tracking-link.ts'

export type Tracking = {
  key: Buffer
  workspaceId: string
  emailId: string
  appUrl: string
  opens: boolean
  clicks: boolean
}

type Place = { start: number; end: number; target: string }

const nothing = () => undefined
/** The tokenizer wants an answer to everything. */
const SILENT = {
  ...{ ontext: nothing, ontextentity: nothing, onopentagname: nothing, onclosetag: nothing, onopentagend: nothing },
  ...{ onselfclosingtag: nothing, onattribname: nothing, onattribdata: nothing, onattribentity: nothing },
  ...{ onattribend: nothing, oncomment: nothing, oncdata: nothing, ondeclaration: nothing },
  ...{ onprocessinginstruction: nothing, onend: nothing },
}

/**
 * The HTML of an email with its links led past us and a picture of one pixel at its end: the same for the same email,
 * however often it is written. Left as they are: the way out of the mail and every other link of ours, what is no link of
 * the web, what stands in comments, and links that show an address, which readers and filters compare with where they lead.
 */
export function trackHtml(html: string, tracking: Tracking): string {
  const base = tracking.appUrl.replace(/\/+$/, '')
  const { places, endOfBody } = readLinks(html)
  const addressOf = (link: number, target: string | null) => {
    const { workspaceId, emailId } = tracking
    return `${base}/t/${signTracking(tracking.key, { workspaceId, emailId, link, target })}`
  }
  const isOurs = (target: string) => [`${base}/u/`, `${base}/t/`].some((own) => target.startsWith(own))
  const numbers = new Map<string, number>()
  const parts: string[] = []
  let from = 0
  for (const { start, end, target } of tracking.clicks ? places : []) {
    if (isOurs(target) || showsAddress(html, end)) continue
    // The same target twice is one link: which of them was followed says nothing.
    const link = numbers.get(target) ?? numbers.size + 1
    if (link > LINKS_MAX) continue
    numbers.set(target, link)
    parts.push(html.slice(from, start), addressOf(link, target))
    from = end
  }
  const written = html.slice(from)
  if (!tracking.opens) return [...parts, written].join('')
  const cut = Math.max(endOfBody - from, 0)
  return [...parts, written.slice(0, cut), pixel(addressOf(0, null)), written.slice(cut)].join('')
}

const pixel = (address: string) =>
  `<img src="${address}" alt="" width="1" height="1" style="display:block;width:1px;height:1px;border:0">`

/** Where the addresses of links stand, quotes not counted, and where the body ends. */
function readLinks(html: string): { places: Place[]; endOfBody: number } {
  const places: Place[] = []
  let endOfBody = html.length
  let tag = ''
  let attribute = { name: '', value: '', start: -1, end: -1 }
  const reader = new Tokenizer(
    { decodeEntities: true },
    {
      ...SILENT,
      onopentagname: (start, end) => {
        tag = html.slice(start, end).toLowerCase()
      },
      onclosetag: (start, end) => {
        if (html.slice(start, end).toLowerCase() === 'body') endOfBody = html.lastIndexOf('<', start)
      },
      onattribname: (start, end) => {
        attribute = { name: html.slice(start, end).toLowerCase(), value: '', start: -1, end: -1 }
      },
      onattribdata: (start, end) => {
        attribute.value += html.slice(start, end)
        if (attribute.start < 0) attribute.start = start
        attribute.end = end
      },
      onattribentity: (codePoint) => {
        attribute.value += String.fromCodePoint(codePoint)
      },
      onattribend: (quote) => {
        const { name, value, start, end } = attribute
        const target = (tag === 'a' || tag === 'area') && name === 'href' ? trackableTarget(value) : undefined
        // A value that begins with an entity has no certain beginning, and one without quotes none of its own end.
        if (target === undefined || quote === QuoteType.Unquoted || !/["']/.test(html[start - 1] ?? '')) return
        places.push({ start, end, target })
      },
    },
  )
  reader.write(html)
  reader.end()
  return { places, endOfBody }
}

/** What a reader sees of the link whose address ends there is an address itself. */
function showsAddress(html: string, end: number): boolean {
  const behind = html.slice(end, end + SHOWN_LENGTH_MAX)
  const shown = behind.slice(0, /<\/a\b/i.exec(behind)?.index).replace(/^[^>]*>|<[^>]*>/g, '')
  return /\b(https?:\/\/|www\.)/i.test(shown)
}

const SHOWN_LENGTH_MAX = 2_000
