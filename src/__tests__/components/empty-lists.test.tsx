// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiKeys } from '#components/api-keys/api-keys.tsx'
import { Domains } from '#components/domains/domains.tsx'
import { Lists } from '#components/lists/lists.tsx'
import { Mailboxes } from '#components/mailboxes/mailboxes.tsx'
import { Sequences } from '#components/sequences/sequences.tsx'
import { SessionProvider } from '#components/session/session-context.tsx'
import { Suppressions } from '#components/suppressions/suppressions.tsx'
import { Templates } from '#components/templates/templates.tsx'
import { Webhooks } from '#components/webhooks/webhooks.tsx'

let address = ''
vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: vi.fn(), replace: vi.fn(), prefetch: vi.fn() }),
  usePathname: () => '/here',
  useSearchParams: () => new URLSearchParams(address),
}))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  address = ''
})

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION = {
  person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}
const NOTHING = {
  ...{
    sequences: [],
    templates: [],
    webhooks: [],
    domains: [],
    apiKeys: [],
    mailboxes: [],
    lists: [],
    suppressions: [],
  },
  ...{ gmail: { isSetUp: false }, nextCursor: null },
}

function show(Page: () => React.ReactNode) {
  vi.stubGlobal('fetch', async () => Response.json({ success: true, data: NOTHING }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider session={SESSION}>
        <Page />
      </SessionProvider>
    </QueryClientProvider>,
  )
}

test.each([
  ['New sequence', Sequences, 'No sequence yet'],
  ['New template…', Templates, 'No template yet'],
  ['Add a webhook', Webhooks, 'Nobody is told yet'],
  ['Add a domain', Domains, 'No domain signs yet'],
  ['Make an API key', ApiKeys, 'No program has a key yet'],
  ['Add a mailbox', Mailboxes, 'There is no mailbox yet'],
  ['Make a list…', Lists, 'There is no list yet'],
  ['Suppress…', Suppressions, 'Nobody is suppressed'],
])(
  '“%s” stands once where there is none yet: below the sentence that says what it is for',
  async (name, Page, title) => {
    show(Page)
    const empty = await screen.findByRole('heading', { name: title })
    const button = screen.getByRole('button', { name })
    expect(empty.parentElement?.contains(button)).toBe(true)
  },
)

test.each([
  ['New sequence', Sequences, 'No sequence fits', 'q=zz'],
  ['New template…', Templates, 'No template fits', 'show=archived'],
  ['Make a list…', Lists, 'Nothing is archived', 'show=archived'],
  ['Suppress…', Suppressions, 'Nothing here goes by that name', 'q=zz'],
])('“%s” stays at the top where a filter finds none', async (name, Page, title, search) => {
  address = search
  show(Page)
  await screen.findByRole('heading', { name: title })
  expect(screen.getByRole('button', { name })).toBeTruthy()
})
