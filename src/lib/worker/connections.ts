import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { Connecting, MailConnection, MailTransport } from '#lib/mail/transport.ts'

/** `version` changes with every change of the mailbox: what was opened for an older one is not used again. */
export type MailboxVersion = { id: string; version: string }

export type OpenTransport = (
  mailboxId: string,
) => Promise<{ ok: true; transport: MailTransport } | { ok: false; outcome: Refused }>

/** As many as were asked for, or fewer and why. */
export type Connections = { open: MailConnection[]; refused: Refused | undefined }

const CONNECT_MS_MAX = 20_000
/** So many mailboxes may each have sent one email and pause now: those that wait longest are closed. */
const IDLE_MAX = 50

type Kept = { version: string; transport: ReturnType<OpenTransport>; idle: MailConnection[] }

/** The connections of one tick: each mailbox's are kept, so that the next email need not log in again. */
export class ConnectionKeeper {
  readonly #openTransport: OpenTransport
  readonly #kept = new Map<string, Kept>()

  constructor(openTransport: OpenTransport) {
    this.#openTransport = openTransport
  }

  async take(mailbox: MailboxVersion, count: number): Promise<Connections> {
    const kept = this.#keep(mailbox)
    const open: MailConnection[] = []
    while (open.length < count && kept.idle.length > 0) {
      const connection = kept.idle.pop()
      if (connection?.isUsable()) open.push(connection)
      else connection?.close()
    }
    if (open.length === count) return { open, refused: undefined }
    const attempts = await this.#connect(mailbox, kept, count - open.length)
    for (const attempt of attempts) if (attempt.ok) open.push(attempt.connection)
    return { open, refused: attempts.find((attempt) => !attempt.ok)?.outcome }
  }

  giveBack({ id, version }: MailboxVersion, connection: MailConnection): void {
    const kept = this.#kept.get(id)
    if (!connection.isUsable() || kept?.version !== version) {
      connection.close()
      return
    }
    kept.idle.push(connection)
    // The map is in the order of last use.
    this.#kept.delete(id)
    this.#kept.set(id, kept)
    this.#closeBeyond(IDLE_MAX)
  }

  closeAll(): void {
    this.#closeBeyond(0)
  }

  #keep({ id, version }: MailboxVersion): Kept {
    const kept = this.#kept.get(id)
    if (kept?.version === version) return kept
    for (const connection of kept?.idle ?? []) connection.close()
    const fresh = { version, transport: this.#openTransport(id), idle: [] }
    this.#kept.set(id, fresh)
    // What could not even be read is read again by the next one.
    fresh.transport.catch(() => this.#kept.get(id) === fresh && this.#kept.delete(id))
    return fresh
  }

  async #connect({ id }: MailboxVersion, kept: Kept, count: number): Promise<Connecting[]> {
    const opened = await kept.transport
    const attempts = opened.ok
      ? await Promise.all(Array.from({ length: count }, () => opened.transport.connect(CONNECT_MS_MAX)))
      : [opened]
    // The host's address may be another one by the next try.
    if (attempts.some((attempt) => !attempt.ok) && kept.idle.length === 0) this.#kept.delete(id)
    return attempts
  }

  #closeBeyond(most: number): void {
    let idle = [...this.#kept.values()].reduce((sum, kept) => sum + kept.idle.length, 0)
    for (const kept of this.#kept.values()) {
      while (idle > most && kept.idle.length > 0) {
        kept.idle.shift()?.close()
        idle -= 1
      }
    }
  }
}
