const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const HREF = /<(?:a|area)\b[^>]{0,2000}?\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi
const URL_IN_TEXT = /https?:\/\/[^\s<>"]{1,2000}/gi

export function linksOf(html: string | null, text: string | null): string[] {
  const inHtml = [...(html ?? '').matchAll(HREF)].map((match) => decodeEntities(match[1] ?? match[2] ?? match[3] ?? ''))
  const inText = splitByLinks(text ?? '').flatMap(({ url }) => url ?? [])
  return [...new Set([...inHtml.map((link) => link.trim()).filter((link) => /^https?:/i.test(link)), ...inText])]
}

/** Cuts a text into pieces; those that are web addresses carry the address. Joined, the pieces are the text. */
export function splitByLinks(text: string): { text: string; url?: string }[] {
  const pieces: { text: string; url?: string }[] = []
  let end = 0
  for (const match of text.matchAll(URL_IN_TEXT)) {
    // The full stop or bracket after an address belongs to the sentence.
    const url = match[0].replace(/[.,;:!?'*_)\]}]+$/, '')
    pieces.push({ text: text.slice(end, match.index) }, { text: url, url })
    end = match.index + url.length
  }
  return [...pieces, { text: text.slice(end) }]
}

function decodeEntities(value: string): string {
  return value.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name) return NAMED_ENTITIES[name.toLowerCase()] ?? whole
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
