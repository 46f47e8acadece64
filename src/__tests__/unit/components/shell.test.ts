import { expect, test } from 'vitest'
import { shellCommands } from '#components/shell/commands/command-items.ts'
import { currentHref, type NavSection } from '#components/shell/nav.ts'
import { parseTheme } from '#components/theme.ts'
import { initialsOf } from '#components/ui/initials.ts'

const SECTIONS: NavSection[] = [
  { items: [{ href: '/', label: 'Dashboard', icon: 'dashboard' }] },
  {
    label: 'Admin',
    items: [
      { href: '/admin', label: 'Admin', icon: 'sending' },
      { href: '/admin/email-queue', label: 'Email queue', icon: 'queue' },
    ],
  },
]

test.each([
  ['/', '/'],
  ['/admin', '/admin'],
  ['/admin/email-queue', '/admin/email-queue'],
  ['/admin/email-queue/42', '/admin/email-queue'],
  ['/admin/other', '/admin'],
  ['/administration', null],
  ['/elsewhere', null],
])('on %s the entry %s is marked', (pathname, expected) => {
  expect(currentHref(SECTIONS, pathname)).toBe(expected)
})

test('the command menu offers every page, the other workspaces and the themes, and does what it says', () => {
  const done: string[] = []
  const commands = shellCommands({
    sections: SECTIONS,
    workspaces: [
      { id: 'w1', name: 'One' },
      { id: 'w2', name: 'Two' },
    ],
    currentWorkspaceId: 'w1',
    navigate: (href) => done.push(`go ${href}`),
    leave: (href) => done.push(`leave for ${href}`),
    switchWorkspace: (id) => done.push(`switch ${id}`),
    setTheme: (theme) => done.push(`theme ${theme}`),
  })
  for (const command of commands) command.run()
  expect(done).toEqual([
    'go /',
    'go /admin',
    'go /admin/email-queue',
    'leave for /reference',
    'switch w2',
    'theme system',
    'theme light',
    'theme dark',
  ])
  expect(new Set(commands.map((command) => command.id)).size).toBe(commands.length)
})

test.each([
  ['dark', 'dark'],
  ['light', 'light'],
  ['system', 'system'],
  [undefined, 'system'],
  ['"><script>', 'system'],
])('the cookie %j means the theme %s', (cookie, expected) => {
  expect(parseTheme(cookie)).toBe(expected)
})

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada.lovelace@example.com', 'AL'],
  ['Ada', 'A'],
  ['Ada King, Countess of Lovelace', 'AL'],
  ['Øystein Åse', 'ØÅ'],
  ['', '?'],
])('the initials of %j are %s', (name, expected) => {
  expect(initialsOf(name)).toBe(expected)
})
