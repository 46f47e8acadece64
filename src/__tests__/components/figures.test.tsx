// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { PaceCell } from '#components/campaigns/list/pace-cell.tsx'
import { behindIn } from '#components/figures/doors.ts'
import { RowsBehind } from '#components/figures/rows-behind.tsx'
import { HeldGroups } from '#components/held/held-groups.tsx'
import { TodayCell } from '#components/mailboxes/today-cell.tsx'
import { OutcomesCard } from '#components/promise/outcomes-card.tsx'
import { SessionProvider } from '#components/session/session-context.tsx'

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
const show = (what: ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider
        session={{
          person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
          workspaces: [WORKSPACE],
          workspace: WORKSPACE,
        }}
      >
        {what}
      </SessionProvider>
    </QueryClientProvider>,
  )

/** Each number that is a link, and what its address opens. */
const doors = () =>
  screen.getAllByRole('link').map((link) => {
    const href = link.getAttribute('href') ?? ''
    return [link.dataset.figure?.split(' ')[1], behindIn(new URLSearchParams(href.split('?')[1]))]
  })

const [from, until] = ['2026-11-18T10:00:00.000Z', '2026-11-19T00:00:00.000Z']

test('what a mailbox has sent and has due are doors, also where its limit is reached; none is no door', () => {
  const today = { date: '2026-11-18', until, sent: 50, waiting: 4, limit: 50, sendingDay: 3 }
  const more = { limitedBy: 'mailbox-limit', rampUpDay: null } as const
  const { container } = show(<TodayCell mailbox={{ id: 'm', today: { ...today, ...more } }} />)
  expect(container.textContent).toContain('of 50 sent, 4 due today')
  expect(doors()).toEqual([
    ['50', { what: 'mailbox-used', mailboxId: 'm', date: '2026-11-18' }],
    ['4', { what: 'mailbox-due', mailboxId: 'm', until }],
  ])
  cleanup()
  show(<TodayCell mailbox={{ id: 'm', today: { ...today, ...more, sent: 0, waiting: 0 } }} />)
  expect(screen.queryByRole('link')).toBeNull()
})

test('the last hour of a campaign is a door to that very hour, over the page of the list that is open', () => {
  address = 'cursor=somewhere'
  const pace = { sentLastHour: 61, lastHour: { from, until }, nextAt: null, lastDate: null }
  show(<PaceCell campaign={{ id: 'c', status: 'RUNNING', ...pace }} />)
  expect(doors()).toEqual([['61', { what: 'sent-of-campaign', campaignId: 'c', from, until }]])
  expect(screen.getByRole('link').getAttribute('href')).toContain('cursor=somewhere')
})

test('what was accepted, and each way in which an unknown outcome ended, are doors', () => {
  const ways = { open: 2, evidence: 0, delivered: 1, 'sent-again': 1, dismissed: 3, otherwise: 0 }
  const unknowns = { total: 7, countedMax: 10_000, ways, acceptedAgain: 1 }
  show(<OutcomesCard promise={{ accepted: 611, invariants: [], unknowns, findingsMax: 50 }} />)
  expect(doors()).toEqual([
    ['611', { what: 'accepted' }],
    ['1', { what: 'accepted-again' }],
    ['7', { what: 'were-unknown' }],
    ['2', { what: 'were-unknown', way: 'open' }],
    ['1', { what: 'were-unknown', way: 'delivered' }],
    ['1', { what: 'were-unknown', way: 'sent-again' }],
    ['3', { what: 'were-unknown', way: 'dismissed' }],
  ])
})

test('what may have been sent before a restore is a door for each group, with and without a campaign, and for all', async () => {
  const group = { mailbox: { id: 'm', address: 'ann@acme.test' }, from, to: until }
  const groups = [
    { ...group, campaign: { id: 'c', name: 'Spring' }, doubt: 'BEFORE', emails: 1_200 },
    { ...group, campaign: null, doubt: 'HELD', emails: 3 },
  ]
  const data = { total: { emails: 1_203, from, to: until }, groups, nextCursor: null }
  vi.stubGlobal('fetch', async () => Response.json({ success: true, data }))
  show(<HeldGroups />)
  await screen.findByText('1,203 emails in all')
  expect(doors().filter(([count]) => count !== undefined)).toEqual([
    ['1200', { what: 'maybe-sent-of-group', mailboxId: 'm', doubt: 'BEFORE', campaignId: 'c' }],
    ['3', { what: 'maybe-sent-of-group', mailboxId: 'm', doubt: 'HELD' }],
    ['1203', { what: 'maybe-sent' }],
  ])
})

test.each([
  [{ what: 'sent', from: '2026-10-20T00:00:00.000Z', until }, '3 emails, 20 Oct 2026 to 18 Nov 2026'],
  [{ what: 'sent', from: '2026-11-18T00:00:00.000Z', until }, '3 emails, 18 Nov 2026'],
  [{ what: 'planned', from, until: '2026-11-18T11:00:00.000Z' }, '3 emails, 18 Nov 2026, 10:00 to 11:00'],
  [{ what: 'mailbox-used', mailboxId: 'm', date: '2026-11-18' }, '3 emails, 18 Nov 2026'],
  [{ what: 'mailbox-due', mailboxId: 'm', until }, '3 emails, before 19 Nov 2026, 00:00'],
  [{ what: 'were-unknown', way: 'dismissed' }, '3 emails: dismissed by a person'],
  [{ what: 'maybe-sent-of-group', mailboxId: 'm', doubt: 'HELD' }, '3 emails. Likely sent: it was with a worker.'],
] as const)('the rows of %j stand below their number and what they are of', async (behind, words) => {
  vi.stubGlobal('fetch', async () => Response.json({ success: true, data: { total: 3, rows: [], nextCursor: null } }))
  show(<RowsBehind behind={behind} onClose={() => undefined} />)
  const total = await screen.findByText('3 emails')
  expect(total.parentElement?.textContent).toContain(words)
})
