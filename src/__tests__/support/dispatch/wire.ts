import { connect, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'

type Pair = { near: Socket; far: Socket }

/** The network between Sendonce and a broker, as a test wants it: whole, cut, or silent in one direction. */
export class Wire {
  /** The broker's address by this way. */
  readonly url: string
  readonly #pairs = new Set<Pair>()
  readonly #close: () => Promise<void>
  #isCut = false
  #silent: { toBroker: boolean; fromBroker: boolean } = { toBroker: false, fromBroker: false }

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url
    this.#close = close
  }

  static async start(target: string): Promise<Wire> {
    const { hostname, port } = new URL(target)
    const server = createServer((near) => wire.#join(near, connect(Number(port), hostname)))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the wire has no port')
    const url = new URL(target)
    url.host = `127.0.0.1:${address.port}`
    const wire = new Wire(url.href, async () => {
      wire.cut()
      await new Promise((closed) => server.close(closed))
    })
    afterAll(() => wire.stop())
    return wire
  }

  /** Every connection breaks, and none can be made until it is mended. */
  cut(): void {
    this.#isCut = true
    this.breakAll()
  }

  /** Every connection breaks; new ones can be made at once. Answers how many there were. */
  breakAll(): number {
    const count = this.#pairs.size
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
    return count
  }

  mend(): void {
    this.#isCut = false
    this.#silent = { toBroker: false, fromBroker: false }
  }

  /** What is sent in that direction from now on is lost, and nobody is told. */
  silence(direction: 'toBroker' | 'fromBroker'): void {
    this.#silent = { ...this.#silent, [direction]: true }
  }

  stop(): Promise<void> {
    return this.#close()
  }

  #join(near: Socket, far: Socket): void {
    if (this.#isCut) {
      near.destroy()
      far.destroy()
      return
    }
    const pair = { near, far }
    this.#pairs.add(pair)
    near.on('error', () => undefined)
    far.on('error', () => undefined)
    near.on('close', () => {
      this.#pairs.delete(pair)
      far.destroy()
    })
    far.on('close', () => near.destroy())
    near.on('data', (data) => !this.#silent.toBroker && far.write(data))
    far.on('data', (data) => !this.#silent.fromBroker && near.write(data))
  }
}
