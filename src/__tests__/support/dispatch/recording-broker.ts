import type { Arrived, Body, Broker, DeadLetter } from '#lib/dispatch/broker.ts'
import { type Kind, type Message, readMessage } from '#lib/dispatch/message.ts'

/** Keeps what is published and delivers it in this process, as long as a test lets it: for what every broker is asked. */
export class RecordingBroker implements Broker {
  readonly published: Extract<Message, { kind: 'email' }>[] = []
  readonly publishedActions: Extract<Message, { kind: 'action' }>[] = []
  isUp = true
  takesNothing = false
  readonly #consumers: Record<Kind, Set<(message: Arrived) => void>> = { email: new Set(), action: new Set() }
  readonly #waiting: Record<Kind, string[]> = { email: [], action: [] }
  #turn = 0

  async publish(kind: Kind, bodies: readonly Body[]): Promise<boolean[]> {
    if (this.takesNothing) return bodies.map(() => false)
    for (const { text } of bodies) {
      const read = readMessage(text)
      if (!read.ok) throw new Error(read.problem)
      if (read.message.kind === 'email') this.published.push(read.message)
      else this.publishedActions.push(read.message)
      this.deliver(text, kind)
    }
    return bodies.map(() => true)
  }

  /** To one of those that consume, in turn; to the next that begins to, where there are none. */
  deliver(text: string, kind: Kind = 'email'): void {
    const consumers = this.#consumers[kind]
    const consumer = [...consumers][this.#turn++ % Math.max(1, consumers.size)]
    const nothing = () => undefined
    const again = () => void this.#waiting[kind].push(text)
    if (consumer) consumer({ text, deliveries: 1, done: nothing, again, dead: nothing })
    else again()
  }

  async consume(kind: Kind, _most: number, arrived: (message: Arrived) => void) {
    this.#consumers[kind].add(arrived)
    for (const text of this.#waiting[kind].splice(0)) this.deliver(text, kind)
    return { stop: async () => void this.#consumers[kind].delete(arrived) }
  }

  async consumeDead(_arrived: (letter: DeadLetter) => void) {
    return { stop: async () => undefined }
  }

  async look() {
    const { email, action } = this.#waiting
    return { waiting: email.length + action.length, untaken: 0, dead: 0 }
  }

  async close(): Promise<void> {}
}
