// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { GmailReturn } from '#components/mailboxes/gmail-return.tsx'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'

let address = new URLSearchParams()
const router = { push: vi.fn(), replace: vi.fn(), prefetch: vi.fn() }
vi.mock('next/navigation', () => ({
  useRouter: () => router,
  usePathname: () => '/mailboxes/gmail',
  useSearchParams: () => address,
}))

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION: SessionView = {
  person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}
const MAILBOX = { id: 'm', address: 'sales@acme.test', status: 'CONNECTED', deferredUntil: null }
let granted: { sends: 'drafts' | 'directly'; readsSent: boolean }
const asked: string[] = []

beforeEach(() => {
  asked.length = 0
  granted = { sends: 'drafts', readsSent: true }
  vi.stubGlobal('fetch', async (input: string, { method = 'GET' }: RequestInit = {}) => {
    asked.push(`${method} ${new URL(input, 'http://page').pathname}`)
    const mailbox = { ...MAILBOX, gmail: granted }
    const answer = { success: true, data: { mailbox, mailboxes: [mailbox], revived: false, failedByLogin: 0 } }
    if (method === 'GET') return Response.json(answer)
    return new Response(`${JSON.stringify({ status: 200, answer })}\n`, {
      headers: { 'content-type': 'application/x-ndjson' },
    })
  })
})

function show(query: string) {
  address = new URLSearchParams(query)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider session={SESSION}>
        <GmailReturn />
      </SessionProvider>
    </QueryClientProvider>,
  )
}

test('loaded again after it was connected, the page says how the mailbox is, and asks Google for nothing', async () => {
  show('connected=m')
  await screen.findByText(/^Nothing is left to do here\. sales@acme\.test is: Connected\.$/)
  screen.getByRole('link', { name: 'Go to the mailboxes' })
  expect(asked).not.toContain('POST /api/mailboxes/gmail/callback')
})

test('an address that somebody made up connects nothing, and says so', async () => {
  show('connected=of-another-workspace')
  await screen.findByText(/^There is nothing to connect here/)
})

test.each([
  [{ sends: 'drafts', readsSent: true }, null],
  [{ sends: 'drafts', readsSent: false }, /^It may not look at what was sent/],
  [{ sends: 'directly', readsSent: false }, /^It sends directly, without drafts/],
] as const)('what was unticked at Google is told, with what it costs: %o', async (abilities, told) => {
  granted = abilities
  show('state=s&code=c')
  await screen.findByText(/is connected, and sends as its limits allow/)
  expect(screen.queryAllByText(/^It (may not look|sends directly)/)).toHaveLength(told ? 1 : 0)
  if (told) screen.getByText(told)
})
