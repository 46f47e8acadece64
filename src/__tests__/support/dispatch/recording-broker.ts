import type { Arrived, Body, Broker, DeadLetter } from '#lib/dispatch/broker.ts'
import { type Message, readMessage } from '#lib/dispatch/message.ts'

/** Keeps what is published and delivers it in this process, as long as a test lets it: for what every broker is asked. */
export class RecordingBroker implements Broker {
  readonly published: Message[] = []
  isUp = true
  takesNothing = false
  readonly #consumers = new Set<(message: Arrived) => void>()
  #waiting: string[] = []
  #turn = 0

  async publish(bodies: readonly Body[]): Promise<boolean[]> {
    if (this.takesNothing) return bodies.map(() => false)
    for (const { text } of bodies) {
      const read = readMessage(text)
      if (!read.ok) throw new Error(read.problem)
      this.published.push(read.message)
      this.deliver(text)
    }
    return bodies.map(() => true)
  }

  /** To one of those that consume, in turn; to the next that begins to, where there are none. */
  deliver(text: string): void {
    const consumer = [...this.#consumers][this.#turn++ % Math.max(1, this.#consumers.size)]
    const nothing = () => undefined
    if (consumer) consumer({ text, deliveries: 1, done: nothing, again: () => this.#waiting.push(text), dead: nothing })
    else this.#waiting.push(text)
  }

  async consume(_most: number, arrived: (message: Arrived) => void) {
    this.#consumers.add(arrived)
    for (const text of this.#waiting.splice(0)) this.deliver(text)
    return { stop: async () => void this.#consumers.delete(arrived) }
  }

  async consumeDead(_arrived: (letter: DeadLetter) => void) {
    return { stop: async () => undefined }
  }

  async look() {
    return { waiting: this.#waiting.length, dead: 0, consumers: this.#consumers.size }
  }

  async close(): Promise<void> {}
}
