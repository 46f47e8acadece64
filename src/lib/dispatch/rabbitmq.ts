import {
  type ChannelModel,
  type ConfirmChannel,
  type ConsumeMessage,
  connect,
  type RecoveringChannelModel,
} from 'amqplib'
import {
  type Arrived,
  type Body,
  type Broker,
  type BrokerOptions,
  CONNECT_MS_MAX,
  type Consuming,
  DELIVERIES_MAX,
  type DeadLetter,
  type DeadReason,
  FIRST_PAUSE_MS,
  KINDS,
  PAUSE_MS_MAX,
  QUEUES,
} from './broker.ts'
import { type Kind, readMessage } from './message.ts'

/** The server's default of 60 s takes two minutes to notice that the other side is gone. */
const HEARTBEAT_SECONDS = 10
/** Dead letters are few, and each is written down before the next. */
const DEAD_AT_ONCE = 10

type Wish = { most: number; queue: string; arrived: (message: ConsumeMessage, channel: ConfirmChannel) => void }

export async function openRabbitMq(options: BrokerOptions): Promise<Broker> {
  return RabbitMq.open(options)
}

/**
 * Quorum queues, since they outlive a node, count deliveries and put aside what was delivered too often. Whatever goes
 * wrong with a channel, the whole connection is made anew, and with it everything that was wanted of it: one way back
 * instead of many.
 */
class RabbitMq implements Broker {
  readonly #options: BrokerOptions
  readonly #wishes = new Set<Wish>()
  readonly #consumers = new Map<Wish, { channel: ConfirmChannel; tag: string }>()
  readonly #returned = new Set<string>()
  readonly #ending = new WeakSet<ChannelModel>()
  #connection: RecoveringChannelModel | undefined
  #model: ChannelModel | undefined
  #publishing: ConfirmChannel | undefined
  #isBlocked = false
  #isClosing = false

  private constructor(options: BrokerOptions) {
    this.#options = options
  }

  static async open(options: BrokerOptions): Promise<Broker> {
    const broker = new RabbitMq(options)
    const url = new URL(options.url)
    if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
    const connection = await connect(url.href, {
      // Without it each confirm waits for a delayed acknowledgement of TCP: 23 in a second instead of thousands.
      noDelay: true,
      keepAlive: true,
      timeout: CONNECT_MS_MAX,
      recovery: {
        waitForConnect: false,
        initialDelay: FIRST_PAUSE_MS,
        maxDelay: PAUSE_MS_MAX,
        setup: (model: ChannelModel) => broker.#setUp(model),
      },
    })
    broker.#listen(connection)
    return broker
  }

  get isUp(): boolean {
    return this.#publishing !== undefined && !this.#isBlocked
  }

  /**
   * A confirm alone is no proof: what no queue takes is confirmed as well, and comes back as returned before that. So
   * both are waited for.
   */
  async publish(kind: Kind, bodies: readonly Body[]): Promise<boolean[]> {
    const channel = this.#publishing
    if (!channel) return bodies.map(() => false)
    return Promise.all(bodies.map((body) => this.#publishOne(channel, kind, body)))
  }

  #publishOne(channel: ConfirmChannel, kind: Kind, { id, text }: Body): Promise<boolean> {
    const options = { mandatory: true, persistent: true, messageId: id, contentType: 'application/json' }
    return new Promise((answer) => {
      try {
        channel.publish('', this.#queueOf(kind), Buffer.from(text), options, (error) =>
          answer(!this.#returned.delete(id) && !error),
        )
      } catch {
        answer(false)
      }
    })
  }

  consume(kind: Kind, most: number, arrived: (message: Arrived) => void): Promise<Consuming> {
    return this.#consume({
      most,
      queue: this.#queueOf(kind),
      arrived: (message, channel) => {
        const { acknowledge, refuse } = answersTo(message, channel)
        arrived({
          text: message.content.toString(),
          deliveries: 1 + numberOf(message.properties.headers?.['x-delivery-count']),
          done: acknowledge,
          again: () => refuse(true),
          // The queue itself takes it to the dead one, with a confirm between the two.
          dead: () => refuse(false),
        })
      },
    })
  }

  consumeDead(arrived: (letter: DeadLetter) => void): Promise<Consuming> {
    return this.#consume({
      most: DEAD_AT_ONCE,
      queue: this.#dead,
      arrived: (message, channel) => {
        const { acknowledge, refuse } = answersTo(message, channel)
        const text = message.content.toString()
        arrived({ text, reason: reasonOf(text, message), done: acknowledge, again: () => refuse(true) })
      },
    })
  }

  async look() {
    const channel = this.#publishing
    if (!channel) throw new Error('RabbitMQ does not answer')
    const { messageCount: dead } = await channel.assertQueue(this.#dead, DEAD_ARGUMENTS)
    const state = { waiting: 0, untaken: 0, dead }
    for (const kind of KINDS) {
      const { messageCount, consumerCount } = await channel.assertQueue(this.#queueOf(kind), this.#arguments)
      state.waiting += messageCount
      if (consumerCount === 0) state.untaken += messageCount
    }
    return state
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#forgetChannels()
    await this.#connection?.close()
  }

  #queueOf(kind: Kind): string {
    return `${this.#options.queue}.${QUEUES[kind]}`
  }

  get #dead(): string {
    return `${this.#options.queue}.dead`
  }

  get #arguments() {
    return {
      durable: true,
      arguments: {
        'x-queue-type': 'quorum',
        // One more than is delivered again.
        'x-delivery-limit': DELIVERIES_MAX - 1,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': this.#dead,
        'x-dead-letter-strategy': 'at-least-once',
        'x-overflow': 'reject-publish',
      },
    }
  }

  async #consume(wish: Wish): Promise<Consuming> {
    this.#wishes.add(wish)
    // Not up yet: it is begun as soon as the connection is there.
    const model = this.#model
    if (model) await this.#begin(model, wish).catch((error) => this.#startAnew(model, error))
    return {
      stop: async () => {
        this.#wishes.delete(wish)
        const consumer = this.#consumers.get(wish)
        this.#consumers.delete(wish)
        // The channel stays, so that what has arrived can be acknowledged on it, and nowhere else.
        await consumer?.channel.cancel(consumer.tag).catch(() => undefined)
      },
    }
  }

  /** After each connect, before anything is published: queues that were deleted are there again. */
  async #setUp(model: ChannelModel): Promise<void> {
    // Until the recovery listens itself, an error of the connection would end the process.
    model.on('error', () => undefined)
    const channel = await this.#openChannel(model)
    channel.on('return', ({ properties }) => {
      if (typeof properties.messageId === 'string') this.#returned.add(properties.messageId)
      this.#startAnew(model, new Error('no queue takes what is published'))
    })
    await channel.assertQueue(this.#dead, DEAD_ARGUMENTS)
    for (const kind of KINDS) await channel.assertQueue(this.#queueOf(kind), this.#arguments)
    for (const wish of this.#wishes) await this.#begin(model, wish)
    // Only now, in the same breath as the last wish was begun: what is wished from here on is begun by itself.
    this.#model = model
    this.#returned.clear()
    this.#isBlocked = false
    this.#publishing = channel
  }

  async #begin(model: ChannelModel, wish: Wish): Promise<void> {
    const channel = await this.#openChannel(model)
    await channel.prefetch(wish.most)
    const { consumerTag } = await channel.consume(wish.queue, (message) => {
      if (message) wish.arrived(message, channel)
      else this.#startAnew(model, new Error('the queue was deleted'))
    })
    this.#consumers.set(wish, { channel, tag: consumerTag })
  }

  async #openChannel(model: ChannelModel): Promise<ConfirmChannel> {
    const channel = await model.createConfirmChannel()
    // Without a listener, an error of a channel ends the process.
    channel.on('error', (error) => this.#startAnew(model, error))
    return channel
  }

  #startAnew(model: ChannelModel, error: unknown): void {
    if (this.#isClosing || this.#ending.has(model)) return
    this.#ending.add(model)
    this.#options.log.warn({ error }, 'the connection to RabbitMQ is made anew')
    if (this.#model === model) this.#forgetChannels()
    // The recovery sees it closed, and connects again.
    void model.close().catch(() => undefined)
  }

  #forgetChannels(): void {
    this.#model = undefined
    this.#publishing = undefined
    this.#consumers.clear()
  }

  #listen(connection: RecoveringChannelModel): void {
    const { log } = this.#options
    this.#connection = connection
    connection.on('error', (error) => log.warn({ error }, 'RabbitMQ reports an error'))
    connection.on('disconnect', (error) => {
      this.#forgetChannels()
      if (!this.#isClosing) log.warn({ error }, 'the connection to RabbitMQ was lost')
    })
    connection.on('connect-failed', (error: Error) => {
      this.#forgetChannels()
      log.warn({ error }, 'RabbitMQ could not be reached; it is tried again')
    })
    connection.on('connect', () => log.info('connected to RabbitMQ'))
    // It is short of memory or disk, and confirms nothing until it has some again.
    connection.on('blocked', () => {
      this.#isBlocked = true
    })
    connection.on('unblocked', () => {
      this.#isBlocked = false
    })
  }
}

const DEAD_ARGUMENTS = { durable: true, arguments: { 'x-queue-type': 'quorum' } }

/** On the channel that delivered, whatever has come after it: its numbers mean other messages on the next one. */
function answersTo(message: ConsumeMessage, channel: ConfirmChannel) {
  const unlessClosed = (answer: () => void) => {
    try {
      answer()
    } catch {
      // The channel is gone: the message comes again.
    }
  }
  return {
    acknowledge: () => unlessClosed(() => channel.ack(message)),
    refuse: (requeue: boolean) => unlessClosed(() => channel.nack(message, false, requeue)),
  }
}

/** What RabbitMQ itself put aside says so; what we refused is either not readable, or readable and not ours. */
function reasonOf(text: string, { properties }: ConsumeMessage): DeadReason {
  const deaths: unknown = properties.headers?.['x-death']
  const isWorn = Array.isArray(deaths) && deaths.some((death) => death?.reason === 'delivery_limit')
  if (isWorn) return 'delivered-too-often'
  return readMessage(text).ok ? 'not-ours' : 'unreadable'
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
