import { isAtLeast, type Role } from '#lib/tenancy/roles.ts'
import type { NavItem, NavSection } from '../shell/nav.ts'
import { HOME } from './safe-next.ts'

const PAGES: readonly (NavItem & { from: Role })[] = [
  { href: HOME, label: 'Overview', icon: 'dashboard', letter: 'o', from: 'member' },
  { href: '/team', label: 'Team', icon: 'team', letter: 't', from: 'member' },
  { href: '/audit', label: 'Audit log', icon: 'audit', letter: 'a', from: 'admin' },
  { href: '/settings', label: 'Workspace settings', icon: 'sending', letter: 's', from: 'member' },
]

/** What exists, and what somebody with this role may see. */
export function sectionsFor(role: Role): NavSection[] {
  return [{ items: PAGES.filter((page) => isAtLeast(role, page.from)).map(({ from: _, ...item }) => item) }]
}
