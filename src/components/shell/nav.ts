/** Icons go by name, so that a server component can build the navigation and hand it to the shell. */
export type NavIconName =
  | 'audit'
  | 'campaigns'
  | 'dashboard'
  | 'domains'
  | 'keys'
  | 'lists'
  | 'mailboxes'
  | 'promise'
  | 'actions'
  | 'prospects'
  | 'queue'
  | 'schedule'
  | 'sending'
  | 'sequences'
  | 'suppressions'
  | 'team'
  | 'templates'
  | 'webhooks'

export interface NavItem {
  href: string
  label: string
  icon: NavIconName
  /** The letter that leads here after `g`. */
  letter?: string
  /** How many things here wait for a person. */
  attention?: number
}

export interface NavSection {
  /** The first section usually needs none. */
  label?: string
  items: readonly NavItem[]
}

/** The one entry to mark: the longest address that the page's own lies in. */
export function currentHref(sections: readonly NavSection[], pathname: string): string | null {
  const matches = sections
    .flatMap((section) => section.items)
    .map((item) => item.href)
    .filter((href) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`)))
  return matches.sort((a, b) => b.length - a.length)[0] ?? null
}
