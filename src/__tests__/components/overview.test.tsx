// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { behindIn, doorTo } from '#components/figures/doors.ts'
import { Overview } from '#components/overview/overview.tsx'
import { topOf } from '#components/overview/plot.tsx'
import { RUNNING } from '#components/overview/running.ts'
import type { Overview as OverviewData } from '#components/overview/use-overview.ts'
import { queryKeys } from '#components/query-keys.ts'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'

vi.mock('next/navigation', () => ({
  usePathname: () => '/overview',
  useRouter: () => ({ push: () => undefined, replace: () => undefined }),
  useSearchParams: () => new URLSearchParams(),
}))

afterEach(cleanup)

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION: SessionView = {
  person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}

const START = Date.parse('2026-11-18T00:00:00.000Z')
const hour = (index: number) => new Date(START + index * 3_600_000).toISOString()
const day = (index: number) => new Date(START + (index - 29) * 86_400_000).toISOString()

const DATA: OverviewData = {
  now: hour(11),
  today: { date: '2026-11-18', from: hour(0), until: hour(24) },
  tomorrow: { date: '2026-11-19', from: hour(24), until: hour(48) },
  hours: Array.from({ length: 48 }, (_, index) => ({
    from: hour(index),
    until: hour(index + 1),
    sent: index >= 9 && index <= 11 ? 20 + index : 0,
    planned: (index >= 11 && index < 17) || (index >= 33 && index < 37) ? 12 : 0,
  })),
  open: [
    { from: hour(9), until: hour(17) },
    { from: hour(33), until: hour(41) },
  ],
  days: Array.from({ length: 30 }, (_, index) => ({
    from: day(index),
    until: day(index + 1),
    date: day(index).slice(0, 10),
    sent: index % 7 < 5 ? 60 + ((index * 37) % 80) : 0,
    failed: index % 9 === 0 ? 2 : 0,
    bounced: index % 6 === 0 ? 1 : 0,
    replied: 0,
    unsubscribed: index % 11 === 0 ? 3 : 0,
  })),
  countedMax: 10_000,
  limit: { atMost: 180, wins: 'ramp-up', sentence: 'The mailbox is on day 9 of the ramp-up.' },
  next: { at: hour(11.5), to: 'ada@example.com', emailId: 'e', mailbox: 'sales@acme.example' },
  lastTick: { ok: true, sentence: 'Ticks come as they should.', at: hour(11), ageSeconds: 9 },
  hold: { isHeld: false, since: null, sentence: 'Sending is not held.' },
  attention: [
    {
      kind: 'mailbox-stopped',
      id: 'm',
      name: 'hello@acme.example',
      count: null,
      sentence: 'The password was refused.',
    },
    { kind: 'unknown', id: null, name: null, count: 1, sentence: null },
    { kind: 'action-failed', id: null, name: null, count: 2, sentence: 'What they were set for was not done.' },
    { kind: 'people-blocked', id: 'c', name: 'Spring', count: 9, sentence: 'They lack company.' },
  ],
  steps: { mailbox: true, people: true, sequence: true, campaign: true },
}

const CAMPAIGNS = {
  campaigns: [
    {
      ...{ id: 'c', name: 'Spring trade fair', people: 412, status: 'RUNNING', sentLastHour: 61 },
      lastHour: { from: hour(10), until: hour(11) },
      ...{ nextAt: hour(12), lastDate: '2026-12-02', blocks: [] },
      emails: { waiting: 561, sent: 611, failed: 4, unknown: 2, cancelled: 16 },
    },
  ],
  nextCursor: null,
}

function page(data: OverviewData) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(queryKeys.overview('w'), data)
  client.setQueryData(queryKeys.campaignsPage('w', JSON.stringify(RUNNING)), CAMPAIGNS)
  client.setQueryData(queryKeys.mailboxes('w'), { mailboxes: [] })
  return (
    <QueryClientProvider client={client}>
      <SessionProvider session={SESSION}>
        <Overview />
      </SessionProvider>
    </QueryClientProvider>
  )
}

describe('the overview', () => {
  test('is drawn on the server, its plots too', () => {
    const html = renderToString(page(DATA))
    expect(html.match(/<rect/g)?.length).toBeGreaterThan(40)
    expect(html).toContain('Spring trade fair')
    expect(html).toContain('in the last hour')
  })

  test('says of today what has gone, what is to go, and what limits it', () => {
    render(page(DATA))
    const today = screen.getByRole('region', { name: 'Today' })
    expect(today.textContent).toContain('90 of 162 sent, 72 still to go')
    expect(today.textContent).toContain('180 today: The mailbox is on day 9 of the ramp-up.')
    expect(today.textContent).toContain('to ada@example.com from sales@acme.example')
  })

  test('has for each plot a table of its figures, in which every number is a door to what it counted', async () => {
    render(page(DATA))
    for (const figures of ['hour by hour', 'day by day'])
      await userEvent.click(screen.getByText(`The figures, ${figures}`))
    const [hours, days] = screen.getAllByRole('table')
    if (!hours || !days) throw new Error('a table is missing')
    const nine = within(hours).getByRole('row', { name: /^Wed 18 Nov, 09:00/ })
    const href = within(nine).getByRole('link', { name: '29 sent' }).getAttribute('href') ?? ''
    expect(behindIn(new URLSearchParams(href.split('?')[1]))).toEqual({ what: 'sent', from: hour(9), until: hour(10) })
    for (const [sum, what] of [
      [DATA.days.reduce((all, { sent }) => all + sent, 0), 'sent'],
      [DATA.days.reduce((all, { failed }) => all + failed, 0), 'failed'],
    ] as const) {
      const link = screen.getByRole('link', { name: `${sum.toLocaleString('en')} emails` })
      const opened = behindIn(new URLSearchParams(link.getAttribute('href')?.split('?')[1]))
      expect(opened).toEqual({ what, from: day(0), until: day(30) })
    }
    expect(within(days).getAllByRole('link').length).toBe(
      DATA.days.flatMap(({ sent, failed, bounced, unsubscribed }) =>
        [sent, failed, bounced, unsubscribed].filter((count) => count > 0),
      ).length,
    )
  })

  test('names what needs somebody, each with its cure', () => {
    render(page(DATA))
    expect(screen.getByRole('link', { name: 'Reconnect: hello@acme.example is stopped' }).getAttribute('href')).toBe(
      '/mailboxes?do=reconnect&mailbox=m',
    )
    expect(screen.getByRole('link', { name: 'Decide: 2 scheduled actions failed for good' }).getAttribute('href')).toBe(
      '/admin/actions?part=decide',
    )
    const fill = screen.getByRole('link', { name: 'Fill in: 9 people of Spring lack a field' })
    expect(fill.getAttribute('href')).toContain('behind=blocked&campaign=c')
    expect(screen.getByRole('link', { name: 'Decide: 1 email with an unknown outcome' }).getAttribute('href')).toBe(
      '/admin/email-queue?status=OUTCOME_UNKNOWN',
    )
    cleanup()
    render(page({ ...DATA, attention: [] }))
    screen.getByText('Nothing needs you.')
  })

  test('shows a new workspace the way, with what is done ticked off', () => {
    render(page({ ...DATA, attention: [], steps: { mailbox: true, people: false, sequence: false, campaign: false } }))
    expect(screen.getAllByRole('img', { name: 'Done' })).toHaveLength(1)
    expect(screen.queryByRole('link', { name: 'Add a mailbox' })).toBeNull()
    screen.getByRole('link', { name: 'Import people' })
    expect(screen.queryByText('By hour')).toBeNull()
  })
})

test('the address of a door leads back to the same rows, and one that makes no sense to none', () => {
  const doors = [
    { what: 'planned', from: hour(1), until: hour(2) },
    { what: 'open-failed' },
    { what: 'blocked', campaignId: 'c' },
    { what: 'sent-of-campaign', campaignId: 'c', from: hour(1), until: hour(2) },
    { what: 'mailbox-used', mailboxId: 'm', date: '2026-11-18' },
    { what: 'mailbox-due', mailboxId: 'm', until: hour(24) },
    { what: 'accepted' },
    { what: 'were-unknown' },
    { what: 'were-unknown', way: 'delivered' },
  ] as const
  for (const behind of doors) {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(doorTo(behind))) if (value !== null) params.set(name, value)
    expect(behindIn(params)).toEqual(behind)
  }
  for (const address of [
    '',
    'behind=nothing',
    'behind=sent',
    'behind=sent&from=x&until=y',
    'behind=blocked',
    'behind=mailbox-used&mailbox=m',
  ])
    expect(behindIn(new URLSearchParams(address))).toBeNull()
})

test('an axis ends at a round number that no bar exceeds', () => {
  for (let most = 0; most < 2_000; most += 1) {
    const top = topOf(most)
    expect(top).toBeGreaterThanOrEqual(most)
    expect(Number.isInteger(top / 2)).toBe(true)
  }
  expect([0, 3, 57, 412, 1_001].map(topOf)).toEqual([2, 4, 60, 500, 2_000])
})
