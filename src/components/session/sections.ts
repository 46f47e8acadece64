import { isAtLeast, type Role } from '#lib/tenancy/roles.ts'
import type { NavItem, NavSection } from '../shell/nav.ts'
import { HOME } from './safe-next.ts'

type Page = NavItem & { from: Role }

/** In the order of a day's work. Only pages that exist. */
const SECTIONS: readonly { label?: string; pages: readonly Page[] }[] = [
  {
    pages: [
      { href: HOME, label: 'Overview', icon: 'dashboard', letter: 'o', from: 'member' },
      { href: '/campaigns', label: 'Campaigns', icon: 'campaigns', letter: 'c', from: 'member' },
      { href: '/sequences', label: 'Sequences', icon: 'sequences', letter: 'q', from: 'member' },
    ],
  },
  {
    label: 'People',
    pages: [
      { href: '/prospects', label: 'Prospects', icon: 'prospects', letter: 'p', from: 'member' },
      { href: '/lists', label: 'Lists', icon: 'lists', letter: 'l', from: 'member' },
      { href: '/suppressions', label: 'Suppressions', icon: 'suppressions', letter: 'u', from: 'member' },
    ],
  },
  {
    label: 'Sending',
    pages: [
      { href: '/admin/email-queue', label: 'Email queue', icon: 'queue', letter: 'e', from: 'member' },
      { href: '/admin/actions', label: 'Scheduled actions', icon: 'actions', letter: 'x', from: 'admin' },
      { href: '/mailboxes', label: 'Mailboxes', icon: 'mailboxes', letter: 'm', from: 'member' },
      { href: '/settings/sending', label: 'Sending settings', icon: 'schedule', letter: 'w', from: 'member' },
      { href: '/settings/domains', label: 'Domains', icon: 'domains', letter: 'd', from: 'member' },
      { href: '/admin/promise', label: 'The promise', icon: 'promise', letter: 'v', from: 'member' },
    ],
  },
  {
    label: 'Settings',
    pages: [
      { href: '/settings', label: 'Workspace settings', icon: 'sending', letter: 's', from: 'member' },
      { href: '/team', label: 'Team', icon: 'team', letter: 't', from: 'member' },
      { href: '/settings/templates', label: 'Templates', icon: 'templates', letter: 'y', from: 'member' },
      { href: '/settings/api-keys', label: 'API keys', icon: 'keys', letter: 'k', from: 'admin' },
      { href: '/settings/webhooks', label: 'Webhooks', icon: 'webhooks', letter: 'h', from: 'member' },
      { href: '/audit', label: 'Audit log', icon: 'audit', letter: 'a', from: 'admin' },
    ],
  },
]

/** What exists, and what a person with this role may see. */
export function sectionsFor(role: Role, attention: Readonly<Record<string, number>> = {}): NavSection[] {
  return SECTIONS.map(({ label, pages }) => ({
    label,
    items: pages
      .filter(({ from }) => isAtLeast(role, from))
      .map(({ from: _, ...item }) => ({ ...item, attention: attention[item.href] })),
  })).filter(({ items }) => items.length > 0)
}
