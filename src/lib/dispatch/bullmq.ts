import { type Job, Queue, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import {
  type Arrived,
  type Body,
  type Broker,
  type BrokerOptions,
  CONNECT_MS_MAX,
  type Consuming,
  DEAD_REASONS,
  DELIVERIES_MAX,
  type DeadLetter,
  type DeadReason,
  FIRST_PAUSE_MS,
  KINDS,
  PAUSE_MS_MAX,
  QUEUES,
} from './broker.ts'
import type { Kind } from './message.ts'

/** BullMQ keeps completed and failed jobs for ever otherwise, and a failed one swallows the next of its id. */
const GONE_WHEN_OVER = { removeOnComplete: true, removeOnFail: true } as const
/** How often is ours to count (DELIVERIES_MAX), so that what was too often goes to a place where it is seen. */
const NEVER_BY_ITSELF = 1_000
/** For how long Redis believes a worker that says nothing. */
const LOCK_MS = 30_000

const DEAD = 'dead'

export async function openBullMq(options: BrokerOptions): Promise<Broker> {
  return new BullMq(options)
}

class BullMq implements Broker {
  readonly #options: BrokerOptions
  readonly #redis: Redis
  readonly #queues: Record<Kind, Queue>
  readonly #dead: Queue
  readonly #workers = new Set<Worker>()
  readonly #connections: Redis[] = []

  constructor(options: BrokerOptions) {
    this.#options = options
    // Nothing waits in memory for a Redis that is away: what cannot be said now fails now.
    this.#redis = this.#connect({
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    })
    this.#queues = { email: this.#queue(QUEUES.email), action: this.#queue(QUEUES.action) }
    this.#dead = this.#queue(DEAD)
  }

  get isUp(): boolean {
    return this.#redis.status === 'ready'
  }

  async publish(kind: Kind, bodies: readonly Body[]): Promise<boolean[]> {
    if (!this.isUp) return bodies.map(() => false)
    try {
      const jobs = bodies.map(({ id, text }) => ({
        name: QUEUES[kind],
        data: JSON.parse(text),
        opts: { jobId: id, attempts: NEVER_BY_ITSELF, ...GONE_WHEN_OVER },
      }))
      await this.#queues[kind].addBulk(jobs)
      return bodies.map(() => true)
    } catch (error) {
      this.#options.log.warn({ error }, 'Redis did not take what was published')
      return bodies.map(() => false)
    }
  }

  consume(kind: Kind, most: number, arrived: (message: Arrived) => void): Promise<Consuming> {
    return this.#consume(QUEUES[kind], most, (job, answer) => {
      const text = textOf(job)
      const dead = (reason: DeadReason) => void this.#bury(job, text, reason).then(answer.done, answer.again)
      if (job.attemptsStarted > DELIVERIES_MAX) dead('delivered-too-often')
      else arrived({ text, deliveries: job.attemptsStarted, ...answer, dead })
    })
  }

  consumeDead(arrived: (letter: DeadLetter) => void): Promise<Consuming> {
    return this.#consume(DEAD, 1, (job, answer) => {
      const { text, reason } = job.data ?? {}
      arrived({
        text: typeof text === 'string' ? text : textOf(job),
        reason: DEAD_REASONS.find((known) => known === reason) ?? 'unreadable',
        ...answer,
      })
    })
  }

  async look() {
    if (!this.isUp) throw new Error('Redis does not answer')
    const { waiting: unread = 0, active = 0 } = await this.#dead.getJobCounts('waiting', 'active')
    const state = { waiting: 0, untaken: 0, dead: unread + active }
    for (const kind of KINDS) {
      const queue = this.#queues[kind]
      const {
        waiting = 0,
        prioritized = 0,
        delayed = 0,
      } = await queue.getJobCounts('waiting', 'prioritized', 'delayed')
      // Some hosted servers do not say who is connected.
      const consumers = await queue.getWorkersCount().catch(() => null)
      state.waiting += waiting + prioritized + delayed
      if (consumers === 0) state.untaken += waiting + prioritized + delayed
    }
    return state
  }

  async close(): Promise<void> {
    const closing = Promise.allSettled([...this.#workers].map((worker) => worker.close(true)))
    await Promise.allSettled([closing, ...KINDS.map((kind) => this.#queues[kind].close()), this.#dead.close()])
    for (const connection of this.#connections) connection.disconnect()
  }

  /** In the dead queue before it is out of this one: a crash between the two leaves it in both, and not in none. */
  async #bury(job: Job, text: string, reason: DeadReason): Promise<void> {
    await this.#dead.add(
      DEAD,
      { text, reason },
      { attempts: NEVER_BY_ITSELF, ...GONE_WHEN_OVER, jobId: `dead-${job.id}` },
    )
  }

  async #consume(
    queue: string,
    concurrency: number,
    take: (job: Job, answer: { done(): void; again(): void }) => void,
  ): Promise<Consuming> {
    const worker = new Worker(
      queue,
      (job) =>
        new Promise<void>((done, failed) => {
          take(job, { done, again: () => failed(new Error('it is to be delivered again')) })
        }),
      {
        ...this.#named,
        // A connection that waits for jobs waits for Redis as well.
        connection: this.#connect({ maxRetriesPerRequest: null }),
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: LOCK_MS,
        maxStalledCount: NEVER_BY_ITSELF,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    )
    this.#workers.add(worker)
    // A lock that was lost while this process stood still, or Redis is away: the job runs again, and the row decides.
    worker.on('error', (error) => this.#options.log.warn({ error }, 'BullMQ reports an error'))
    return {
      stop: async () => {
        // Nothing new is fetched; what is here goes on.
        await worker.pause(true).catch(() => undefined)
      },
    }
  }

  #queue(name: string): Queue {
    const queue = new Queue(name, { ...this.#named, connection: this.#redis })
    queue.on('error', (error) => this.#options.log.debug({ error }, 'a queue of BullMQ reports an error'))
    return queue
  }

  /** In braces, so that a cluster keeps all of its keys together. */
  get #named() {
    return { prefix: `{${this.#options.queue}}` }
  }

  #connect(options: RedisOptions): Redis {
    const redis = new Redis(this.#options.url, {
      connectTimeout: CONNECT_MS_MAX,
      keepAlive: 10_000,
      retryStrategy: (times) => Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(times - 1, 10)),
      ...options,
    })
    const { log } = this.#options
    redis.on('error', (error) => log.warn({ error }, 'Redis could not be reached; it is tried again'))
    redis.on('ready', () => log.info('connected to Redis'))
    this.#connections.push(redis)
    return redis
  }
}

function textOf({ data }: Job): string {
  return JSON.stringify(data) ?? ''
}
