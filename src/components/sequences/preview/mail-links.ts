export type MailLink = {
  href: string
  words: string
  /** What a reader would stumble over. */
  problem: string | null
}

const SAYS_NOTHING = /^(click here|here|this link|link|read more|more|this)\W*$/i

/** The links of a mail as it is sent, in their order; the way out below it is ours. */
export function linksOf(html: string): MailLink[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const links = [...body.querySelectorAll('a[href]')].filter((link) => !isOurs(link.getAttribute('href') ?? ''))
  return links.map((link) => {
    const href = link.getAttribute('href')?.trim() ?? ''
    const words = link.textContent?.trim() || link.querySelector('img')?.getAttribute('alt')?.trim() || ''
    return { href, words, problem: problemOf(href, words) }
  })
}

const isOurs = (href: string) => /\/u\/test$/.test(href)

function problemOf(href: string, words: string): string | null {
  if (/^(mailto|tel):./i.test(href)) return null
  if (!URL.canParse(href)) return 'This is no whole address: it leads nowhere from a mail.'
  const { protocol, hostname } = new URL(href)
  if (!/^https?:$/.test(protocol)) return 'Mail programs open only addresses that begin with https://, mailto: or tel:.'
  if (hostname === 'localhost' || !hostname.includes('.')) return 'Readers cannot reach this host.'
  if (protocol === 'http:') return 'It is not encrypted: write https://.'
  if (words === '') return 'Nothing stands on this link, so nobody can press it.'
  if (SAYS_NOTHING.test(words)) return `“${words}” says nothing: name what is behind the link.`
  return null
}
