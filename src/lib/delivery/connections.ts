import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { OpenedTransport } from '#lib/mail/provider.ts'
import type { Connecting, MailConnection } from '#lib/mail/transport.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'

/** `version` changes with every change of the mailbox: what was opened for an older one is not used again. */
export type MailboxVersion = { id: string; kind: MailboxKind; version: string }

export type OpenTransport = (mailbox: Pick<MailboxVersion, 'id' | 'kind'>) => Promise<OpenedTransport>

/** As many as could be had, or none and why. */
export type Connections = { open: MailConnection[]; refused: Refused | undefined }

export const CONNECT_MS_MAX = 20_000
/** This many mailboxes may each have sent one email and pause now: those that wait longest are closed. */
const IDLE_MAX = 50
/** A host's address and a mailbox's password are read anew for connections that are opened later than this. */
const TRANSPORT_MS_MAX = 60_000
/** Of a server that has not taken any yet. */
const FIRST_ATTEMPTS = 2
/** A server that took no more connections is not tried with more for so long. */
const MOST_MS_MAX = 600_000

type Kept = {
  version: string
  transport: ReturnType<OpenTransport>
  readMs: number
  idle: MailConnection[]
  inUse: number
  /** The most that were open at once. */
  taken: number
  /** As many as its server took when it refused the next one. */
  most: { count: number; sinceMs: number } | undefined
  waiting: (() => void)[]
}

/**
 * Each mailbox's connections are kept, so that the next email need not log in again. A server is not stormed: never more
 * are opened at once than it has taken already, and where it refuses one beside others that it took, those are its most.
 */
export class ConnectionKeeper {
  readonly #openTransport: OpenTransport
  readonly #kept = new Map<string, Kept>()

  constructor(openTransport: OpenTransport) {
    this.#openTransport = openTransport
  }

  /** At most `count`; where all that the server takes are in use, the next that is given back. */
  async take(mailbox: MailboxVersion, count: number, withinMs = CONNECT_MS_MAX): Promise<Connections> {
    for (;;) {
      const kept = this.#keep(mailbox)
      const open = idleOf(kept, count)
      const missing = Math.min(count - open.length, mostOf(kept) - kept.inUse - open.length)
      kept.inUse += open.length
      if (missing <= 0 && open.length > 0) return { open, refused: undefined }
      if (missing > 0) {
        const refused = await this.#connect(mailbox, kept, open, missing, Math.min(withinMs, CONNECT_MS_MAX))
        if (open.length > 0 || refused?.kind === 'rejected' || kept.inUse === 0) return { open, refused }
      }
      await new Promise<void>((wake) => kept.waiting.push(wake))
    }
  }

  giveBack({ id, version }: MailboxVersion, connection: MailConnection): void {
    const kept = this.#kept.get(id)
    if (kept?.version !== version) {
      connection.close()
      return
    }
    kept.inUse -= 1
    if (connection.isUsable()) kept.idle.push(connection)
    else connection.close()
    // The map is in the order of last use.
    this.#kept.delete(id)
    this.#kept.set(id, kept)
    wakeAll(kept)
    this.#closeBeyond(IDLE_MAX)
  }

  closeAll(): void {
    this.#closeBeyond(0)
  }

  #keep({ id, kind, version }: MailboxVersion): Kept {
    const kept = this.#kept.get(id)
    if (kept?.version === version) {
      if (performance.now() - kept.readMs > TRANSPORT_MS_MAX) this.#read({ id, kind }, kept)
      return kept
    }
    for (const connection of kept?.idle ?? []) connection.close()
    const fresh: Kept = {
      version,
      transport: this.#openTransport({ id, kind }),
      readMs: performance.now(),
      idle: [],
      inUse: 0,
      taken: kept?.taken ?? 0,
      most: kept?.most,
      waiting: [],
    }
    this.#kept.set(id, fresh)
    this.#forgetUnread(id, fresh)
    // What waited for a connection of the older version opens one of this.
    if (kept) wakeAll(kept)
    return fresh
  }

  #read(mailbox: Pick<MailboxVersion, 'id' | 'kind'>, kept: Kept): void {
    kept.transport = this.#openTransport(mailbox)
    kept.readMs = performance.now()
    this.#forgetUnread(mailbox.id, kept)
  }

  /** What could not even be read is read again by the next one. */
  #forgetUnread(id: string, kept: Kept): void {
    kept.transport.catch(() => {
      if (this.#kept.get(id) === kept && kept.inUse === 0 && kept.idle.length === 0) this.#kept.delete(id)
      else kept.readMs = Number.NEGATIVE_INFINITY
    })
  }

  /**
   * Adds what could be opened to `open`; answers why not all. As many at once as the server has taken before, and as many
   * again with each round that it takes.
   */
  async #connect(
    { id }: MailboxVersion,
    kept: Kept,
    open: MailConnection[],
    missing: number,
    withinMs: number,
  ): Promise<Refused | undefined> {
    const deadline = new Deadline(withinMs)
    let wanted = missing
    while (wanted > 0 && (open.length === 0 || deadline.leftMs() > 0)) {
      const attempts = Math.min(wanted, Math.max(FIRST_ATTEMPTS, kept.taken))
      kept.inUse += attempts
      const results = await this.#attempt(kept, attempts, deadline.leftMs()).finally(() => {
        kept.inUse -= attempts
      })
      const opened = results.flatMap((result) => (result.ok ? [result.connection] : []))
      open.push(...opened)
      kept.inUse += opened.length
      const refused = results.find((result) => !result.ok)?.outcome
      if (refused) {
        kept.taken = kept.inUse
        if (kept.inUse > 0) kept.most = { count: kept.inUse, sinceMs: performance.now() }
        // The host's address may be another one by the next try.
        else if (this.#kept.get(id) === kept) this.#kept.delete(id)
        wakeAll(kept)
        return refused
      }
      kept.taken = Math.max(kept.taken, kept.inUse)
      wanted -= attempts
    }
    return undefined
  }

  async #attempt(kept: Kept, count: number, withinMs: number): Promise<Connecting[]> {
    const opened = await kept.transport
    if (!opened.ok) return [opened]
    return Promise.all(Array.from({ length: count }, () => opened.transport.connect(withinMs)))
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

function idleOf(kept: Kept, count: number): MailConnection[] {
  const open: MailConnection[] = []
  while (open.length < count && kept.idle.length > 0) {
    const connection = kept.idle.pop()
    if (connection?.isUsable()) open.push(connection)
    else connection?.close()
  }
  return open
}

function mostOf(kept: Kept): number {
  if (kept.most && performance.now() - kept.most.sinceMs > MOST_MS_MAX) kept.most = undefined
  return kept.most?.count ?? Number.POSITIVE_INFINITY
}

function wakeAll(kept: Kept): void {
  const waiting = kept.waiting
  kept.waiting = []
  for (const wake of waiting) wake()
}
