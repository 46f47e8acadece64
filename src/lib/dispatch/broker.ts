import type { Environment } from '#lib/platform/env.ts'
import type { Log } from '#lib/platform/log.ts'
import type { Kind } from './message.ts'

export type BrokerName = Exclude<Environment['DISPATCH'], 'database'>

export type Body = { id: string; text: string }

/**
 * A message that has come. It is the broker's until one of these is called, and comes again where none ever is: exactly
 * one, once, and only after what it caused has been committed. None of them fails: a broker that cannot be told any more
 * delivers again, which costs one look at the row.
 */
export type Arrived = {
  text: string
  /** 1 for the first time, as far as the broker knows. */
  deliveries: number
  done(): void
  /** Back to the broker, to be delivered again. */
  again(): void
  /** To the dead place. */
  dead(reason: DeadReason): void
}

/** Why a message lies in the dead place. */
export const DEAD_REASONS = ['unreadable', 'not-ours', 'delivered-too-often'] as const
export type DeadReason = (typeof DEAD_REASONS)[number]

export type DeadLetter = { text: string; reason: DeadReason; done(): void; again(): void }

export type Consuming = {
  /** Nothing more arrives from then on; what has arrived can still be answered. */
  stop(): Promise<void>
}

/** A queue for each kind: servers that hang hold up no action, and a storm of actions no email. */
export const QUEUES = { email: 'send', action: 'act' } as const satisfies Record<Kind, string>
export const KINDS = ['email', 'action'] as const satisfies readonly Kind[]

/** `untaken`: of those that wait, how many wait where nobody takes any. */
export type BrokerState = { waiting: number; untaken: number; dead: number }

/**
 * One way through a broker. It reconnects by itself, with growing pauses, and takes up what it was doing; until
 * then `isUp` is false, publishing fails at once, and nothing is kept in memory for later.
 */
export type Broker = {
  readonly isUp: boolean
  /** For each, in their order, whether the broker has it for sure, in the queue and not only on the wire. Does not throw. */
  publish(kind: Kind, bodies: readonly Body[]): Promise<boolean[]>
  /** The most that are here and not answered at any moment. */
  consume(kind: Kind, most: number, arrived: (message: Arrived) => void): Promise<Consuming>
  consumeDead(arrived: (letter: DeadLetter) => void): Promise<Consuming>
  /** Throws where the broker does not answer. */
  look(): Promise<BrokerState>
  close(): Promise<void>
}

export type BrokerOptions = { url: string; queue: string; log: Log }

/** How often a message is delivered before it is put aside: each time the process that it was given to was lost. */
export const DELIVERIES_MAX = 5

export const CONNECT_MS_MAX = 10_000
export const FIRST_PAUSE_MS = 200
export const PAUSE_MS_MAX = 30_000
