import { connect, createServer, type Socket } from 'node:net'

/** A way to a Postgres that may go silent: nothing is refused, nothing is closed, and nothing arrives any more. */
export class SilentProxy {
  readonly url: string
  readonly #close: () => Promise<void>
  readonly #pairs: Set<Pair>
  /** Of connections that are opened from now on. */
  isSilent = false

  private constructor(url: string, pairs: Set<Pair>, close: () => Promise<void>) {
    this.url = url
    this.#pairs = pairs
    this.#close = close
  }

  static async start(serverUrl: string): Promise<SilentProxy> {
    const { hostname, port } = new URL(serverUrl)
    const pairs = new Set<Pair>()
    const server = createServer((inside) => {
      const pair: Pair = { inside, outside: undefined, isSilent: proxy.isSilent }
      pairs.add(pair)
      inside.on('error', () => undefined)
      inside.on('close', () => {
        pairs.delete(pair)
        pair.outside?.destroy()
      })
      if (pair.isSilent) return
      const outside = connect(Number(port), hostname)
      pair.outside = outside
      outside.on('error', () => undefined)
      outside.on('close', () => !pair.isSilent && inside.destroy())
      inside.on('data', (data) => !pair.isSilent && outside.write(data))
      outside.on('data', (data) => !pair.isSilent && inside.write(data))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
    const url = new URL(serverUrl)
    url.host = `127.0.0.1:${address.port}`
    const proxy = new SilentProxy(url.href, pairs, async () => {
      for (const { inside } of pairs) inside.destroy()
      await new Promise((closed) => server.close(closed))
    })
    return proxy
  }

  /** As a firewall that has forgotten them: those that are open stay open. Answers how many there are. */
  silenceOpen(): number {
    for (const pair of this.#pairs) pair.isSilent = true
    return this.#pairs.size
  }

  stop(): Promise<void> {
    return this.#close()
  }
}

type Pair = { inside: Socket; outside: Socket | undefined; isSilent: boolean }
