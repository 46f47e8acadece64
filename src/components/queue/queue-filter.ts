import type { Sent } from '#lib/contract/over-the-wire.ts'
import { QUEUE_PART_NAMES, type QueuePart, standingsOf } from '#lib/email-scheduler/queue-parts.ts'
import type { EmailKind, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'
import { EMAIL_STATUS_LOOK } from '../status-look.ts'

/** As the API takes it. */
export type QueueFilter = NonNullable<Sent<'GET /api/admin/outbox/count'>['query']>

export const PART_WORDS: Record<QueuePart, string> = {
  decide: 'Needs a decision',
  waiting: 'Waiting',
  sending: 'Sending',
  sent: 'Sent',
  cancelled: 'Cancelled',
}

/** The name of each condition in the page's address. */
const PARAM = {
  search: 'q',
  status: 'status',
  kind: 'kind',
  campaignId: 'campaign',
  mailboxId: 'mailbox',
  prospectId: 'person',
  errorCode: 'error',
  fromDate: 'from',
  untilDate: 'until',
} as const satisfies Partial<Record<keyof QueueFilter, string>>

export const FILTER_PARAMS: readonly string[] = Object.values(PARAM)

export const EMAILS_PER_PAGE = 100

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const CODE = /^[A-Z0-9_]{1,60}$/

type Params = { get(name: string): string | null }

export function partIn(params: Params): QueuePart {
  const tab = params.get('tab')
  return QUEUE_PART_NAMES.find((part) => part === tab) ?? 'decide'
}

/** The email whose panel is open. */
export function openIn(params: Params): string | null {
  const id = params.get('email')
  return id !== null && UUID.test(id) ? id.toLowerCase() : null
}

/** What the address asks for; what makes no sense there is left out. */
export function filterIn(params: Params): QueueFilter {
  const text = (name: keyof typeof PARAM, fits: (value: string) => boolean) => {
    const value = params.get(PARAM[name])?.trim()
    return value && fits(value) ? value : undefined
  }
  const isUuid = (value: string) => UUID.test(value)
  return {
    search: text('search', () => true)?.slice(0, 200),
    status: text('status', (value) => Object.hasOwn(EMAIL_STATUS_LOOK, value)) as QueueFilter['status'],
    kind: text('kind', (value) => value === 'CAMPAIGN' || value === 'TRANSACTIONAL') as QueueFilter['kind'],
    campaignId: text('campaignId', isUuid),
    mailboxId: text('mailboxId', isUuid),
    prospectId: text('prospectId', isUuid),
    errorCode: text('errorCode', (value) => CODE.test(value)) as QueueFilter['errorCode'],
    fromDate: text('fromDate', isDate),
    untilDate: text('untilDate', isDate),
  }
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
}

/** What the address says of a tab and its filter; what is not asked for is taken out of it. */
export function paramsOf({
  part,
  ...filter
}: QueueFilter & { part?: QueuePart | undefined }): Record<string, string | null> {
  const names = Object.entries(PARAM) as [keyof typeof PARAM, string][]
  return { tab: part ?? null, ...Object.fromEntries(names.map(([name, param]) => [param, filter[name] ?? null])) }
}

/** To the emails of one state: `isDismissed` tells apart those that failed for good. */
export function hrefOfStatus(status: ScheduledEmailStatus, kind: EmailKind, isDismissed = false): string {
  return `/admin/email-queue?${new URLSearchParams({ tab: tabOf(status, isDismissed), status, kind })}`
}

/** To one email, opened beside the others of its campaign or its person in the tab where it stands. */
export function hrefOfEmail(
  { id, status }: { id: string; status: ScheduledEmailStatus },
  beside: { campaign: string } | { person: string },
): string {
  return `/admin/email-queue?${new URLSearchParams({ tab: tabOf(status, false), ...beside, email: id })}`
}

function tabOf(status: ScheduledEmailStatus, isDismissed: boolean): QueuePart | '' {
  const tab = QUEUE_PART_NAMES.find((part) =>
    standingsOf(part).some((one) => one.status === status && (one.isDismissed ?? isDismissed) === isDismissed),
  )
  return tab ?? ''
}

export function isNarrowed(filter: QueueFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** Two filters that ask for the same have the same key. */
export function keyOf(filter: object): string {
  return JSON.stringify(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )
}
