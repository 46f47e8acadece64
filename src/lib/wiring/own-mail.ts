import type pg from 'pg'
import { readHold } from '#lib/email-scheduler/send/hold.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { openSystemMailbox } from '#lib/mail/smtp/open-system-mailbox.ts'
import { noticeAlerts, noticeGap, takeAlertLook } from '#lib/operations/alerts/notice.ts'
import { type Digest, tellOwners, workspacesToTell } from '#lib/operations/alerts/tell.ts'
import { type ProductMail, productMailContent } from '#lib/outbox/product-mail.ts'
import { env } from '#lib/platform/env.ts'
import type { Log } from '#lib/platform/log.ts'
import { alertMail } from '#lib/tenancy/people/mails.ts'
import { openResetAsks } from '#lib/tenancy/people/reset-asks.ts'
import { storeSystemMail } from './system-mail.ts'

const EVERY_MS = 60_000
const HANDING_MS_MAX = 15_000
const mails = new WeakMap<pg.Pool, OwnMail>()

/**
 * What the product has to say by itself, looked for beside ticks: alerts to owners, and links that were asked for and not
 * stored because a process died. Never fails the tick.
 */
export class OwnMail {
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #everyMs: number
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(pool: pg.Pool, log: Log, { everyMs = EVERY_MS }: { everyMs?: number } = {}) {
    this.#pool = pool
    this.#log = log
    this.#everyMs = everyMs
  }

  /** The one of this process, which remembers when it looked last. */
  static of(pool: pg.Pool, log: Log): OwnMail {
    const known = mails.get(pool) ?? new OwnMail(pool, log)
    mails.set(pool, known)
    return known
  }

  async lookIfTime(mayContinue: () => boolean): Promise<void> {
    if (performance.now() - this.#lookedMs < this.#everyMs) return
    this.#lookedMs = performance.now()
    try {
      const look = await takeAlertLook(this.#pool, this.#everyMs)
      if (!look) return
      await this.#answerLeftResets()
      const { SYSTEM_MAIL_URL } = env()
      // Without a mailbox of its own there is nobody who could tell; the overview does.
      if (!SYSTEM_MAIL_URL) return
      const hold = await readHold(this.#pool)
      await noticeGap(this.#pool, look.sinceMs)
      await noticeAlerts(this.#pool, hold)
      for (const workspaceId of await workspacesToTell(this.#pool)) {
        if (!mayContinue()) return
        await this.#tell(workspaceId, hold.isHeld)
      }
    } catch (error) {
      this.#log.error({ error }, 'looking for what owners are to be told failed')
    }
  }

  async #answerLeftResets(): Promise<void> {
    const left = await openResetAsks(this.#pool)
    if (left.length === 0) return
    // What people sign in by is a third of all that a worker would load, for what hardly ever is left.
    const { answerLeftResets } = await import('./password-reset.ts')
    await answerLeftResets(left)
  }

  async #tell(workspaceId: string, isHeld: boolean): Promise<void> {
    const digest = await tellOwners(this.#pool, workspaceId, async (tx, found) => {
      // What is held holds this mail as well, so that it would tell of the hold when it is over.
      if (isHeld) return
      for (const mail of mailsOf(found)) await storeSystemMail(tx, mail)
    })
    if (!digest) return
    this.#log.warn({ workspaceId, subject: digest.subject }, 'owners are told')
    if (isHeld) for (const mail of mailsOf(digest)) await this.#handOver(mail)
  }

  /** Past the queue: told once, and lost where the server is away at this moment. The overview says the same. */
  async #handOver(mail: ProductMail): Promise<void> {
    const { SYSTEM_MAIL_URL = '', SYSTEM_MAIL_FROM = '' } = env()
    const content = productMailContent(SYSTEM_MAIL_FROM, mail, new Date())
    const deadline = new Deadline(HANDING_MS_MAX)
    const opened = content && (await openSystemMailbox(SYSTEM_MAIL_URL, () => new Date()))
    const connecting = opened?.ok ? await opened.transport.connect(deadline.leftMs()) : undefined
    if (!content || !connecting?.ok) {
      this.#log.error({ subject: mail.subject }, 'owners could not be told that sending is held')
      return
    }
    const { connection } = connecting
    try {
      const outcome = await connection.submit(await composeMessage(content), deadline.leftMs())
      if (outcome.kind !== 'accepted') this.#log.error({ outcome }, 'owners may not know that sending is held')
    } finally {
      connection.close()
    }
  }
}

const mailsOf = (digest: Digest) => digest.owners.map((owner) => alertMail(env().APP_URL, owner, digest))
