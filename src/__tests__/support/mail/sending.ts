import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { HasherIn } from '#lib/audience/address-hash.ts'
import { type ComposeMessage, contentPreparer, type RenderEmails } from '#lib/delivery/prepare.ts'
import type { SendingCounts } from '#lib/delivery/sending-counts.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { SENDER_VERSION } from '#lib/email-scheduler/send/guard-facts.ts'
import { Deadline, type TimeLeft } from '#lib/mail/deadline.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { Sender, type SendingMeans, sendDue } from '#lib/worker/send-due.ts'
import type { SendingLimits } from '#lib/worker/sending-limits.ts'
import { silent } from '#tests/support/silent.ts'

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
  connects: (mailboxId: string) => Refused | undefined | Promise<Refused | undefined> = () => undefined
  closes: (mailboxId: string) => void = () => undefined

  readonly openTransport = async (mailboxId: string) => ({
    ok: true as const,
    transport: {
      connect: async () => {
        const refused = await this.connects(mailboxId)
        if (refused) return { ok: false as const, outcome: refused }
        return {
          ok: true as const,
          connection: {
            submit: (message: OutgoingMessage, deadlineMs: number) => this.#take(mailboxId, message, deadlineMs),
            isUsable: () => true,
            close: () => this.closes(mailboxId),
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
      version: string
      custom_fields: { note?: string }
    }>('SELECT id, email, xmin::text AS version, custom_fields FROM prospects WHERE id = ANY($1::uuid[])', [
      emails.map(({ prospectId }) => prospectId),
    ])
    const prospects = new Map(rows.map((row) => [row.id, row]))
    const versions = await pool.query<{ id: string; version: string }>(
      'SELECT id, xmin::text AS version FROM sequences WHERE id = ANY($1::uuid[])',
      [emails.map(({ sequenceId }) => sequenceId)],
    )
    const senders = await pool.query<{ id: string; version: string }>(
      `SELECT m.id, ${SENDER_VERSION} AS version FROM mailboxes m WHERE m.id = ANY($1::uuid[])`,
      [emails.map(({ mailboxId }) => mailboxId)],
    )
    const versionOfSender = new Map(senders.rows.map(({ id, version }) => [id, version]))
    const sequences = new Map(versions.rows.map(({ id, version }) => [id, version]))
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
          date: email.claimedAt,
          headers: {},
        }
        const writtenFrom = {
          prospect: prospect.version,
          sequence: sequences.get(email.sequenceId ?? '') ?? '',
          sender: versionOfSender.get(email.mailboxId) ?? '',
        }
        return [[email.id, { kind: 'content', content, writtenFrom } as const]]
      }),
    )
  }
}

const compose: ComposeMessage = async (_, content) => ({
  ok: true,
  message: {
    envelope: { from: content.from.address, to: content.to.address },
    messageId: content.messageId,
    raw: Buffer.from(`${content.subject}\n\n${content.text}`),
  },
})

/** As the product hashes addresses, without a key. */
export const testHasherIn: HasherIn = async () => (value) => createHash('sha256').update(value).digest()

export function meansThrough(pool: pg.Pool, provider: TestProvider): SendingMeans {
  const prepare = contentPreparer(pool, rendererFrom(pool), async () => compose)
  return {
    providers: { SMTP: { open: (mailboxId) => provider.openTransport(mailboxId) } },
    prepare,
    hasherIn: testHasherIn,
  }
}

const LIMITS = { connections: 5, leaseMs: 60_000, submitMsMax: 10_000 }

/** What a tick sends with, in tests. */
export function sendingThrough(
  pool: pg.Pool,
  provider: TestProvider,
  means = meansThrough(pool, provider),
  other: Partial<SendingLimits> = {},
) {
  const limits = { ...LIMITS, beginning: new Deadline(25_000), ...other }
  const sender = new Sender(pool, 'worker-1', silent, means, limits)
  return { sender, time: new Deadline(20_000), endsWithTick: true }
}

/** Time for what is due, however long that takes, and for nothing that will be. */
export const DUE_NOW: TimeLeft = { leftMs: () => 1 }

type SendAll = Partial<SendingLimits> & {
  worker?: string
  time?: TimeLeft
  claimMsMax?: number
  means?: SendingMeans
}

/** One worker's sending until nothing more is due within its time. */
export function sendAll(
  pool: pg.Pool,
  provider: TestProvider,
  { worker = 'worker-1', claimMsMax = 20_000, time = new Deadline(claimMsMax), means, ...limits }: SendAll = {},
): Promise<SendingCounts> {
  return sendDue(pool, worker, silent, means ?? meansThrough(pool, provider), {
    ...LIMITS,
    beginning: new Deadline(claimMsMax + 5_000),
    ...limits,
    time,
  })
}
