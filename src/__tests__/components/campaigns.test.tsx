// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actWords } from '#components/campaigns/activity/act-words.ts'
import { CampaignActivity } from '#components/campaigns/activity/campaign-activity.tsx'
import { CampaignEmails } from '#components/campaigns/campaign-emails.tsx'
import { emailsIn } from '#components/campaigns/campaign-params.ts'
import { CampaignSettings } from '#components/campaigns/campaign-settings.tsx'
import { DiagnosisPanel } from '#components/campaigns/diagnosis-panel.tsx'
import { LaunchDialog } from '#components/campaigns/launch-dialog.tsx'
import { CampaignMaker } from '#components/campaigns/making/campaign-maker.tsx'
import { NewCampaign } from '#components/campaigns/new-campaign.tsx'
import { EndCard } from '#components/campaigns/overview/end-card.tsx'
import { CampaignPeople } from '#components/campaigns/people/campaign-people.tsx'
import { CampaignPlan } from '#components/campaigns/plan/campaign-plan.tsx'
import type { Campaign } from '#components/campaigns/use-campaigns.ts'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'

let address = new URLSearchParams()
const router = { push: vi.fn(), replace: vi.fn() }
vi.mock('next/navigation', () => ({
  useRouter: () => router,
  usePathname: () => '/campaigns/c',
  useSearchParams: () => address,
}))

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION: SessionView = {
  person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}

const EMAILS = {
  ...{ SCHEDULED: 4, SENDING: 0, SENT: 7, FAILED: 0, RETRY_SCHEDULED: 0, OUTCOME_UNKNOWN: 0, PERMANENTLY_FAILED: 23 },
  ...{ CANCELLED: 0, total: 34, wanted: 34 },
}
const ANSWERS: Record<string, unknown> = {
  'GET /api/campaigns/c/progress': {
    status: 'DRAFT',
    ledger: {
      enrolments: { PENDING: 398, BLOCKED: 9, SKIPPED: 5, ACTIVE: 0, FINISHED: 0, total: 412 },
      ...{ emails: EMAILS, balances: true, done: 0 },
    },
    ...{ sentLastHour: 0, nextAt: null, nextBranchAt: null, lastDate: null, blocks: [] },
  },
  'GET /api/campaigns/c/plan': {
    ...{
      madeFor: null,
      lastDate: '2026-12-14',
      emails: 398,
      enrolments: 398,
      skipped: 0,
      blocked: 9,
      isComplete: true,
    },
    ...{ waitsForReplan: false, impossible: null, nextCursor: null },
    days: [{ date: '2026-11-19', emails: 398, held: { 'mailbox-limit': 3 }, clockMinutes: 60 }],
    page: [
      {
        ...{
          enrolmentId: 'e',
          prospectId: 'x',
          prospect: 'ada@example.com',
          stepNumber: 2,
          at: '2026-11-19T09:02:00Z',
        },
        ...{ localDate: '2026-11-19', mailboxId: 'm', mailbox: 'ann@acme.test', limitedBy: 'mailbox-limit' },
        limitedOn: '2026-11-18',
      },
    ],
    problems: [{ code: 'no-mailbox', sentence: 'No mailbox is connected; connect one to send from.' }],
  },
  'GET /api/campaigns/c/calendar': {
    ...{ today: '2026-11-19', firstDate: '2026-11-18', lastDate: '2026-12-02' },
    days: Array.from({ length: 30 }, (_, index) => ({
      date: `2026-11-${String(index + 1).padStart(2, '0')}`,
      ...{ sent: index === 17 ? 12 : 0, waiting: index === 18 ? 50 : 0, failed: 0, unknown: 0 },
      ...{ isFull: index === 18, isClosed: index === 21, clockMinutes: index === 28 ? -60 : 0 },
    })),
  },
  'GET /api/campaigns/c/activity': {
    acts: [
      { id: 2, at: '2026-11-19T09:00:00Z', actorEmail: 'ann@acme.test', action: 'campaign.paused', details: {} },
      {
        ...{ id: 1, at: '2026-11-19T08:00:00Z', actorEmail: 'olga@acme.test', action: 'campaign.people-added' },
        details: { people: 412 },
      },
    ],
    ...{ nextBefore: null, days: [{ date: '2026-11-18', sent: 12, failed: 1, unknown: 0 }] },
  },
  'GET /api/campaigns/c/prospects': {
    enrolments: [
      {
        ...{ id: 'e1', prospectId: 'x', prospect: 'ada@example.com', firstName: null, lastName: null },
        ...{
          state: 'BLOCKED',
          pausedAt: null,
          stepReached: 0,
          steps: 0,
          mailbox: null,
          nextEmail: null,
          waits: null,
          cancelled: null,
        },
        reason: { code: 'missing-fields', sentence: 'The person has no company; fill it in.' },
        left: null,
        canPutBack: false,
        enrolledAt: '2026-11-18T00:00:00Z',
      },
    ],
    ...{ nextCursor: null, searchIsCut: false },
    counts: { states: { PENDING: 0, BLOCKED: 1, SKIPPED: 0, ACTIVE: 0, FINISHED: 0, total: 1 }, reasons: {} },
  },
  'GET /api/campaigns/c/diagnose': {
    ...{ status: 'PAUSED', scheduledAt: null },
    findings: [
      { code: 'campaign-paused', sentence: 'The campaign is “Paused”. Nothing goes out until a person resumes it.' },
      { code: 'blocked', sentence: '9 people lack a field; fill it in, or give the text a fallback.' },
    ],
    emails: [
      {
        ...{
          id: 'w',
          prospectId: 'x',
          prospect: 'ada@example.com',
          stepNumber: 1,
          parkedBy: null,
          waitsForReplan: false,
        },
        why: {
          ...{ kind: 'waiting', plannedFor: '2026-11-19T09:00:00Z', retryAt: null, firstFeasible: null },
          blockers: [
            { name: 'mailbox-connected', verdict: 'park', sentence: 'The mailbox ann@acme.test has stopped.' },
          ],
        },
      },
    ],
  },
  'GET /api/settings/sending': {
    ...{ timeZone: 'UTC', nextTimeZone: null, sendingDays: [1, 2, 3, 4, 5], windowStartMinute: 540 },
    ...{
      windowEndMinute: 1020,
      daysOff: [],
      dailyQuota: 200,
      rampUpEnabled: false,
      rampUpStart: 20,
      rampUpIncrement: 5,
    },
    ...{ jitterMinSeconds: 30, jitterMaxSeconds: 90, retryPolicy: 'STANDARD', retryDelaysSeconds: [], version: 1 },
  },
  // A plan of now brings the last one forward already; of the wishes, a larger quota alone does more.
  'POST /api/settings/sending/preview': ({ dailyQuota }: { dailyQuota: number }) => ({
    effect: {
      ...{ emails: 2000, moved: 1204, isComplete: true, impossible: null, lastBefore: '2026-12-19T10:00:00Z' },
      lastAfter: dailyQuota === 400 ? '2026-12-02T10:00:00Z' : '2026-12-09T10:00:00Z',
    },
  }),
  'GET /api/campaigns/c/scheduled-emails': {
    emails: [
      {
        ...{ id: 'w1', enrolmentId: 'e', prospectId: 'x', prospect: 'ada@example.com', stepNumber: 1, attempts: 0 },
        ...{ mailbox: 'ann@acme.test', status: 'SCHEDULED', scheduledFor: '2026-11-20T09:00:00Z', sentAt: null },
        ...{
          cancelledAt: null,
          nextRetryAt: null,
          lastError: null,
          cancelReason: null,
          parkedBy: null,
          chosenAt: null,
        },
        ...{ limitedBy: 'workspace-quota', limitedOn: '2026-11-19', localDate: '2026-11-20' },
      },
    ],
    nextCursor: null,
  },
  'GET /api/lists': { lists: [{ id: 'l', name: 'Trade fair', members: 412 }] },
  'GET /api/segments': { segments: [{ id: 's', name: 'Not contacted' }] },
  'GET /api/mailboxes': { mailboxes: [{ id: 'm', address: 'ann@acme.test', status: 'CONNECTED' }] },
  'GET /api/sequences': { sequences: [{ id: 'q', name: 'Intro', steps: 2 }], nextCursor: null },
  'GET /api/sequences/q': {
    ...{ id: 'q', name: 'Intro', fieldsNeeded: ['company'] },
    steps: [
      { stepNumber: 1, delayDays: 0, subject: 'Your stand' },
      { stepNumber: 2, delayDays: 3, subject: '' },
    ],
  },
  'GET /api/prospects/x': { prospect: { id: 'x', email: 'ada@example.com', company: null, customFields: {} } },
  'PATCH /api/prospects/x': {},
  'POST /api/admin/outbox/bulk': { preview: false, done: 23, refused: [], undo: [], nextCursor: null },
  'PATCH /api/campaigns/c': {},
}

const asked: { call: string; body: unknown }[] = []

beforeEach(() => {
  address = new URLSearchParams()
  asked.length = 0
  vi.stubGlobal('fetch', async (input: string, { method = 'GET', body }: RequestInit = {}) => {
    const call = `${method} ${new URL(input, 'http://page').pathname}`
    const sent = typeof body === 'string' ? JSON.parse(body) : null
    asked.push({ call, body: sent })
    const answer = ANSWERS[call]
    return Response.json({ success: true, data: typeof answer === 'function' ? await answer(sent) : answer })
  })
})
afterEach(cleanup)

const campaign = (wanted: Partial<Campaign> = {}): Campaign => ({
  ...{ id: 'c', name: 'Spring', sequenceId: 'q', status: 'DRAFT', scheduledAt: null, launchedAt: null, batchSize: 500 },
  ...{
    mailboxIds: [],
    tracksOpens: false,
    tracksClicks: false,
    version: 1,
    endsAt: null,
    pauseHoldsClock: true,
    archivedAt: null,
    createdAt: '2026-11-18T00:00:00Z',
  },
  ...{ updatedAt: '2026-11-18T00:00:00Z', actions: ['edit', 'enrol', 'launch'] },
  ...wanted,
})

function show(page: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <SessionProvider session={SESSION}>{page}</SessionProvider>
    </QueryClientProvider>,
  )
}

describe('a new campaign', () => {
  test('has its sequence on the way of Tab while the sequences are still loading', async () => {
    ANSWERS['GET /api/sequences'] = () => new Promise(() => undefined)
    show(<NewCampaign onClose={() => undefined} />)
    await userEvent.type(await screen.findByLabelText(/^Name/), 'Spring')
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByLabelText(/^Sequence/))
    delete ANSWERS['GET /api/sequences']
  })
})

describe('a draft on one page', () => {
  test('says who gets it with a door behind each part, how it reads, and what the plan comes to', async () => {
    show(<CampaignMaker campaign={campaign()} />)
    const door = await screen.findByRole('link', { name: '398 will get it' })
    expect(door.getAttribute('href')).toBe('/campaigns/c?tab=people&state=PENDING')
    screen.getByRole('link', { name: '9 lack a field' })
    screen.getByRole('link', { name: '5 are left out' })
    expect((await screen.findByText('Your stand')).tagName).toBe('SPAN')
    await screen.findByText('3 days later')
    const cure = await screen.findByRole('link', { name: 'Connect a mailbox' })
    expect(cure.getAttribute('href')).toBe('/mailboxes')
    expect((await screen.findAllByText(/the clocks go forward by an hour/)).length).toBeGreaterThan(0)
  })

  test('saves what is chosen at once', async () => {
    show(<CampaignMaker campaign={campaign()} />)
    await userEvent.click(await screen.findByRole('checkbox', { name: 'All that are connected, in turn' }))
    await userEvent.click(await screen.findByRole('checkbox', { name: 'ann@acme.test' }))
    await screen.findByText(/^Saved/)
    expect(asked).toContainEqual({ call: 'PATCH /api/campaigns/c', body: { mailboxIds: ['m'] } })
  })
})

describe('why nothing goes out', () => {
  test('each reason has its cure beside it, and what would help is planned by the planner, wish by wish', async () => {
    show(<DiagnosisPanel campaign={campaign({ status: 'PAUSED' })} onClose={() => undefined} />)
    await screen.findByRole('button', { name: 'Resume' })
    expect((await screen.findByRole('link', { name: 'Fill it in' })).getAttribute('href')).toBe(
      '/campaigns/c?tab=people&state=BLOCKED',
    )
    expect(screen.getByRole('link', { name: 'Reconnect it' }).getAttribute('href')).toBe('/mailboxes')
    await userEvent.click(screen.getByRole('button', { name: 'What would help, and by how much?' }))
    const helps = await screen.findByText(/A quota of 400 a day, twice as much: the last of 2,000 emails/)
    expect(helps.textContent).toContain('goes on 2 Dec 2026, 10:00 instead of 9 Dec 2026, 10:00.')
    expect(screen.queryByText(/A window that is open all day/)).toBeNull()
    const tried = asked.filter(({ call }) => call === 'POST /api/settings/sending/preview').map(({ body }) => body)
    expect(tried).toMatchObject([
      { dailyQuota: 200 },
      { dailyQuota: 400 },
      { windowEndMinute: 1440 },
      { sendingDays: [1, 2, 3, 4, 5, 6, 7] },
    ])
  })
})

describe('a sequence that branches', () => {
  const people = ANSWERS['GET /api/campaigns/c/prospects'] as { enrolments: object[] }
  const progress = ANSWERS['GET /api/campaigns/c/progress'] as { ledger: { enrolments: object } }
  afterEach(() => {
    ANSWERS['GET /api/campaigns/c/prospects'] = people
    ANSWERS['GET /api/campaigns/c/progress'] = progress
  })

  test('says until when a person waits at a branch, and that a pause holds it back', async () => {
    const waits = { at: 'branch', until: '2026-11-26T14:02:00Z', isHeld: true }
    const one = { ...people.enrolments[0], state: 'ACTIVE', reason: null, waits }
    ANSWERS['GET /api/campaigns/c/prospects'] = { ...people, enrolments: [one] }
    show(<CampaignPeople campaign={campaign({ status: 'PAUSED' })} />)
    const told = await screen.findByText(/^Waits at a branch until/)
    expect(told.textContent).toContain('26 Nov 2026, 14:02')
    within(told).getByText('The pause holds this time back.')
  })

  test('is not told to be at its end where people are still active, and leads to them', async () => {
    const { ledger } = progress
    const enrolments = { ...ledger.enrolments, ACTIVE: 3 }
    ANSWERS['GET /api/campaigns/c/progress'] = { ...progress, ledger: { ...ledger, enrolments } }
    const diagnosis = ANSWERS['GET /api/campaigns/c/diagnose'] as object
    ANSWERS['GET /api/campaigns/c/diagnose'] = { ...diagnosis, findings: [], emails: [] }
    show(<DiagnosisPanel campaign={campaign({ status: 'RUNNING' })} onClose={() => undefined} />)
    const door = await screen.findByRole('link', { name: '3 people' })
    expect(door.getAttribute('href')).toBe('/campaigns/c?tab=people&state=ACTIVE')
    expect(screen.queryByText(/has come to its end/)).toBeNull()
    ANSWERS['GET /api/campaigns/c/diagnose'] = diagnosis
  })
})

describe('the tabs of a campaign', () => {
  test('its people: why one is blocked, and the field filled in where it is missed', async () => {
    show(<CampaignPeople campaign={campaign({ status: 'RUNNING' })} />)
    await screen.findByText('The person has no company; fill it in.')
    await userEvent.click(screen.getByRole('button', { name: 'Fill it in' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Company: Not set. Change' }))
    await userEvent.type(screen.getByLabelText('Company'), 'Acme{Enter}')
    await vi.waitFor(() => expect(asked).toContainEqual({ call: 'PATCH /api/prospects/x', body: { company: 'Acme' } }))
  })

  test('its emails: each opens in the queue beside the others of the campaign', async () => {
    show(<CampaignEmails campaign={campaign({ status: 'RUNNING' })} />)
    const door = await screen.findByRole('link', { name: 'ada@example.com' })
    expect(door.getAttribute('href')).toBe('/admin/email-queue?tab=waiting&campaign=c&email=w1')
  })

  test('warns where its sequence branches on what it does not note, and switches that on', async () => {
    const branch = { id: 'b', type: 'branch', if: { event: 'CLICKED' }, withinDays: 3, yes: [], no: [] }
    const before = ANSWERS['GET /api/sequences/q'] as object
    ANSWERS['GET /api/sequences/q'] = { ...before, graph: { nodes: [branch] } }
    try {
      show(<LaunchDialog campaign={campaign()} onClose={() => undefined} />)
      await screen.findByText('The sequence asks whether they followed a link, and this campaign does not note it')
      await userEvent.click(screen.getByRole('button', { name: 'Note which links are followed' }))
      const body = { tracksClicks: true }
      await vi.waitFor(() => expect(asked).toContainEqual({ call: 'PATCH /api/campaigns/c', body }))
      cleanup()
      show(<LaunchDialog campaign={campaign({ tracksClicks: true })} onClose={() => undefined} />)
      await screen.findByText(/No mailbox is connected/)
      expect(screen.queryByText(/does not note it/)).toBeNull()
    } finally {
      ANSWERS['GET /api/sequences/q'] = before
    }
  })

  test('a postal address that stops the launch is written where it does, and the plan is asked for anew', async () => {
    const before = ANSWERS['GET /api/campaigns/c/plan'] as object
    const lacking = { code: 'no-postal-address', sentence: 'The workspace has no postal address.' }
    ANSWERS['GET /api/campaigns/c/plan'] = { ...before, problems: [lacking] }
    ANSWERS['PATCH /api/workspaces/w'] = (body: object) => {
      ANSWERS['GET /api/campaigns/c/plan'] = { ...before, problems: [] }
      return body
    }
    try {
      show(<LaunchDialog campaign={campaign()} onClose={() => undefined} />)
      await userEvent.type(await screen.findByRole('textbox', { name: 'Postal address' }), 'Acme{enter}1 High Street')
      await userEvent.click(screen.getByRole('button', { name: 'Save the address' }))
      await vi.waitFor(() => expect(screen.queryByRole('textbox', { name: 'Postal address' })).toBeNull())
      const body = { postalAddress: 'Acme\n1 High Street' }
      expect(asked).toContainEqual({ call: 'PATCH /api/workspaces/w', body })
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Launch now' }).disabled).toBe(false)
    } finally {
      ANSWERS['GET /api/campaigns/c/plan'] = before
    }
  })

  test('its emails are asked for by their times: what waits soonest first, what is over latest first, what is parked as planned', () => {
    const asked = (address: string) => emailsIn(new URLSearchParams(address))
    const at = '2026-11-19~1795000000000~018f0000-0000-7000-8000-000000000000'
    const row = '018f0000-0000-7000-8000-000000000000'
    expect(asked('')).toMatchObject({ order: 'soonest', cursor: undefined })
    expect(asked(`status=WAITING&cursor=${at}`)).toMatchObject({ order: 'soonest', cursor: at })
    expect(asked(`status=SENT&cursor=${at}`)).toMatchObject({ order: 'latest', cursor: at })
    expect(asked('status=SENT&date=2026-11-18')).toMatchObject({ order: 'soonest', date: '2026-11-18' })
    expect(asked(`blocker=prospect-active&cursor=${row}`)).toMatchObject({ blocker: 'prospect-active', cursor: row })
    expect(asked('blocker=prospect-active')).not.toHaveProperty('order')
    // Of a list in another order.
    for (const address of [`cursor=${row}`, `blocker=prospect-active&cursor=${at}`])
      expect(asked(address).cursor).toBeUndefined()
  })

  test('its people: one who left a sequence that branches is told with the reason, and put back where that was a mistake', async () => {
    const people = ANSWERS['GET /api/campaigns/c/prospects'] as { enrolments: object[] }
    const [one] = people.enrolments
    const left = { ...one, state: 'FINISHED', reason: null, left: 'The person replied.', canPutBack: true }
    ANSWERS['GET /api/campaigns/c/prospects'] = { ...people, enrolments: [left] }
    try {
      show(<CampaignPeople campaign={campaign({ status: 'RUNNING' })} />)
      await screen.findByText('The person replied.')
      await userEvent.click(screen.getByRole('button', { name: 'Actions for ada@example.com' }))
      await userEvent.click(await screen.findByRole('menuitem', { name: 'Put back' }))
      const body = { action: 'put_back', enrolmentIds: ['e1'] }
      await vi.waitFor(() => expect(asked).toContainEqual({ call: 'POST /api/campaigns/c/prospects/bulk', body }))
    } finally {
      ANSWERS['GET /api/campaigns/c/prospects'] = people
    }
  })

  test('its month: each number leads to the emails of that day and state', async () => {
    show(<CampaignPlan campaign={campaign({ status: 'RUNNING' })} />)
    const [sent] = await screen.findAllByRole('link', { name: /^12 sent on Wednesday 18 November 2026$/ })
    expect(sent?.getAttribute('href')).toBe('/campaigns/c?tab=emails&date=2026-11-18&status=SENT')
    screen.getByText('19 today full')
    screen.getByText('22 closed')
    expect(screen.getAllByText('the clocks go back by an hour').length).toBeGreaterThan(0)
  })

  test('before the launch, its plan says of each email why it goes then', async () => {
    show(<CampaignPlan campaign={campaign()} />)
    await screen.findByText('Not earlier because of the mailboxes’ daily limits on Wed 18 Nov.')
  })

  test('after the launch, its list says so of each email, and goes on from a date in the order of times', async () => {
    address = new URLSearchParams({ view: 'list', from: '2026-11-20' })
    show(<CampaignPlan campaign={campaign({ status: 'RUNNING', launchedAt: '2026-11-18T00:00:00Z' })} />)
    await screen.findByText('Not earlier because of the workspace’s quota on Thu 19 Nov.')
    const first = screen.getByRole('link', { name: 'From the launch on' })
    expect(first.getAttribute('href')).toBe('/campaigns/c?view=list&from=2026-11-18')
  })

  test('its activity is told in sentences, by people and by the worker', async () => {
    show(<CampaignActivity campaign={campaign({ status: 'RUNNING' })} />)
    const lines = (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent)
    expect(lines[0]).toContain('ann@acme.test paused it.')
    expect(lines[1]).toContain('olga@acme.test added 412 people.')
    expect(lines[2]).toContain('The worker sent 12 emails and gave up on 1 email.')
    expect(actWords('campaign.people-changed', { action: 'removed', people: 1 })).toBe('took out 1 person.')
    expect(actWords('campaign.dreamt-of', {})).toBe('campaign.dreamt-of')
  })

  test('its settings say what an edit of the sequence reaches', async () => {
    show(<CampaignSettings campaign={campaign({ status: 'RUNNING', launchedAt: '2026-11-18T00:00:00Z' })} />)
    await screen.findByText(/the 4 emails that still wait will say\. The 7 emails that were sent stay/)
  })

  test('when it has ended, what failed is tried again, and nothing else', async () => {
    show(<EndCard campaign={campaign({ status: 'SENT' })} />)
    await screen.findByText('It is over: 7 emails were sent, 23 failed for good.')
    await userEvent.click(screen.getByRole('button', { name: 'Retry the 23 that failed' }))
    const filter = { campaignId: 'c', status: 'PERMANENTLY_FAILED', dismissed: false }
    await vi.waitFor(() =>
      expect(asked).toContainEqual({ call: 'POST /api/admin/outbox/bulk', body: { action: 'retry', filter } }),
    )
  })
})
