import type pg from 'pg'
import pino from 'pino'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { type ComposeMessage, contentPreparer, type RenderEmails } from '#lib/worker/prepare.ts'
import { type SendingCounts, type SendingLimits, sendDue } from '#lib/worker/send-due.ts'
import { makeProspects, makeRunningCampaign, makeSequence, makeWorkspace, type TestCampaign } from './planning.ts'
import { makeEmailsFor, type TestEmail } from './queue.ts'

const log = pino({ level: 'silent' })

export type Accepted = { emailId: string; mailboxId: string; message: OutgoingMessage; deadlineMs: number }

/** A provider in this process that writes down what it was handed, and answers what a test tells it to. */
export class TestProvider {
  readonly handed: Accepted[] = []
  inFlight = 0
  mostInFlight = 0
  answer: (handed: Accepted, count: number) => SendOutcome | Promise<SendOutcome> = ({ message }) => ({
    kind: 'accepted',
    messageId: message.messageId,
  })
  connects: (mailboxId: string) => Refused | undefined = () => undefined

  readonly openTransport = async (mailboxId: string) => ({
    ok: true as const,
    transport: {
      connect: async () => {
        const refused = this.connects(mailboxId)
        if (refused) return { ok: false as const, outcome: refused }
        return {
          ok: true as const,
          connection: {
            submit: (message: OutgoingMessage, deadlineMs: number) => this.#take(mailboxId, message, deadlineMs),
            isUsable: () => true,
            close: () => undefined,
          },
        }
      },
    },
  })

  async #take(mailboxId: string, message: OutgoingMessage, deadlineMs: number): Promise<SendOutcome> {
    this.inFlight += 1
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight)
    const handed = { emailId: message.messageId.slice(1, 37), mailboxId, message, deadlineMs }
    this.handed.push(handed)
    try {
      return await this.answer(handed, this.handed.length)
    } finally {
      this.inFlight -= 1
    }
  }
}

/** Renders by the prospect's row alone; how texts become messages is tested where it lives. */
function rendererFrom(pool: pg.Pool): RenderEmails {
  return async (emails) => {
    const { rows } = await pool.query<{
      id: string
      email: string
      updated_at: Date
      custom_fields: { note?: string }
    }>('SELECT id, email, updated_at, custom_fields FROM prospects WHERE id = ANY($1::uuid[])', [
      emails.map(({ prospectId }) => prospectId),
    ])
    const prospects = new Map(rows.map((row) => [row.id, row]))
    return new Map(
      emails.flatMap((email) => {
        const prospect = prospects.get(email.prospectId ?? '')
        if (!prospect) return []
        const content: EmailContent = {
          from: { name: 'Ann', address: 'ann@acme.test' },
          to: { name: '', address: prospect.email },
          subject: `Step ${email.stepNumber}`,
          text: prospect.custom_fields.note ?? 'Hello',
          html: '',
          messageId: `<${email.id}@acme.test>`,
          date: new Date('2026-11-18T10:00:00Z'),
          headers: {},
        }
        return [[email.id, { kind: 'content', content, prospectUpdatedAt: prospect.updated_at } as const]]
      }),
    )
  }
}

const compose: ComposeMessage = async (_, content) => ({
  envelope: { from: content.from.address, to: content.to.address },
  messageId: content.messageId,
  raw: Buffer.from(`${content.subject}\n\n${content.text}`),
})

/** What a tick sends with, in tests. */
export function sendingThrough(pool: pg.Pool, provider: TestProvider) {
  return {
    means: {
      openTransport: provider.openTransport,
      prepare: contentPreparer(pool, rendererFrom(pool), async () => compose),
    },
    limits: { connections: 5, leaseMs: 60_000, submitMsMax: 10_000, claimMsMax: 20_000 },
  }
}

/** One worker's sending until nothing more is due within its time. */
export function sendAll(
  pool: pg.Pool,
  provider: TestProvider,
  limits: Partial<SendingLimits> & { worker?: string } = {},
): Promise<SendingCounts> {
  const { worker = 'worker-1', ...rest } = limits
  const { means, limits: usual } = sendingThrough(pool, provider)
  return sendDue(pool, worker, log, means, { ...usual, ...rest })
}

export type DueCampaign = TestCampaign & { mailboxIds: string[]; emails: TestEmail[] }

type Wanted = {
  mailboxes?: number
  prospects?: number
  delays?: number[]
  settings?: Record<string, unknown>
  limits?: { dailyLimit?: number; rollingLimit?: number }
}

/** A running campaign whose first steps are due now, spread over its mailboxes; no pauses between emails unless told so. */
export async function makeDueCampaign(
  pool: pg.Pool,
  { mailboxes = 1, prospects = 5, delays = [0], settings = {}, limits = {} }: Wanted = {},
): Promise<DueCampaign> {
  const { workspaceId, mailboxIds } = await makeWorkspace(pool, {
    mailboxes,
    settings: { daily_quota: 1000, jitter_min_seconds: 0, jitter_max_seconds: 0, ...settings },
    limits: { dailyLimit: 1000, ...limits },
  })
  return { ...(await addDueCampaign(pool, { workspaceId, mailboxIds }, prospects, delays)), mailboxIds }
}

export async function addDueCampaign(
  pool: pg.Pool,
  { workspaceId, mailboxIds }: { workspaceId: string; mailboxIds: string[] },
  prospects: number,
  delays: number[] = [0],
): Promise<TestCampaign & { emails: TestEmail[] }> {
  const campaign = await makeRunningCampaign(pool, workspaceId, await makeSequence(pool, workspaceId, delays))
  const prospectIds = await makeProspects(pool, workspaceId, prospects)
  const emails = await inTransaction(pool, (tx) => makeEmailsFor(tx, campaign, mailboxIds, prospectIds, delays.length))
  return { ...campaign, emails }
}

export async function statusesOf(pool: pg.Pool, campaignId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1',
    [campaignId],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
