import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'

/** What a startup message may ask for; PgBouncer refuses the rest in these words. */
const KNOWN_PARAMETERS = new Set(['user', 'database', 'client_encoding', 'application_name', 'options'])
const SSL_REQUEST = 80877103
const PROTOCOL_3 = 196608

type Options = {
  backends?: number
  /** Passes on the key of a real backend, so that nobody can tell that there is a pooler. */
  hidesItself?: boolean
}

export type TransactionPooler = { url: string; stop(): Promise<void> }

/**
 * A pooler in transaction mode, as strict as one can be: each transaction of a client runs on another backend than its last
 * one, and what a session keeps stays behind there. What PgBouncer itself makes of the product, npm run test:pooler shows.
 */
export async function startTransactionPooler(
  serverUrl: string,
  { backends: count = 3, hidesItself = false }: Options = {},
): Promise<TransactionPooler> {
  const backends = await Promise.all(Array.from({ length: count }, () => Backend.open(serverUrl)))
  const [first] = backends
  const free = new FreeBackends(backends)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, free, hidesItself && first ? first.pid : undefined)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the pooler has no port')
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${address.port}`
  return {
    url: url.href,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
      for (const backend of backends) backend.close()
    },
  }
}

/** A real session, whose login pg has done, from then on without pg. */
class Backend {
  readonly pid: number
  readonly #socket: Duplex
  /** Takes what the server says; answers nothing while no transaction runs. */
  heard: (data: Buffer) => void = () => undefined

  private constructor(pid: number, socket: Duplex) {
    this.pid = pid
    this.#socket = socket
    socket.removeAllListeners('data')
    socket.on('data', (data: Buffer) => this.heard(data))
    socket.on('error', () => undefined)
  }

  static async open(url: string): Promise<Backend> {
    const client: pg.Client & { connection?: pg.Connection } = new pg.Client(url)
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const stream = client.connection?.stream
    if (!stream || !rows[0]) throw new Error('a backend did not open')
    return new Backend(rows[0].pid, stream)
  }

  send(data: Buffer): void {
    this.#socket.write(data)
  }

  close(): void {
    this.#socket.destroy()
  }
}

class FreeBackends {
  readonly #free: Backend[]
  readonly #waiting: ((backend: Backend) => void)[] = []

  constructor(backends: readonly Backend[]) {
    this.#free = [...backends]
  }

  /** First in, first out: so it is never the one that was just given back, while there is another. */
  take(use: (backend: Backend) => void): void {
    const backend = this.#free.shift()
    if (backend) use(backend)
    else this.#waiting.push(use)
  }

  giveBack(backend: Backend): void {
    const next = this.#waiting.shift()
    if (next) next(backend)
    else this.#free.push(backend)
  }
}

function serve(client: Socket, free: FreeBackends, pid: number | undefined): void {
  let backend: Backend | undefined
  let isTaking = false
  let unsent: Buffer[] = []
  const fromServer = new Messages((message) => {
    const isIdle = message[0] === 'Z'.charCodeAt(0) && message[5] === 'I'.charCodeAt(0)
    const done = backend
    if (isIdle && done) {
      done.heard = () => undefined
      backend = undefined
      free.giveBack(done)
    }
    client.write(message)
  })
  const forward = (message: Buffer) => {
    if (message[0] === 'X'.charCodeAt(0)) return client.end()
    if (backend) return backend.send(message)
    unsent.push(message)
    if (isTaking) return
    isTaking = true
    free.take((taken) => {
      isTaking = false
      backend = taken
      taken.heard = (data) => fromServer.add(data)
      for (const one of unsent.splice(0)) taken.send(one)
    })
  }
  const fromClient = new Messages(forward)
  let isStarted = false
  client.on('error', () => undefined)
  client.on('close', () => {
    // In the middle of a transaction: PgBouncer closes the backend; for these tests it is enough to take it back.
    const left = backend
    backend = undefined
    unsent = []
    if (!left) return
    left.heard = new Messages((message) => {
      if (message[0] !== 'Z'.charCodeAt(0) || message[5] !== 'I'.charCodeAt(0)) return
      left.heard = () => undefined
      free.giveBack(left)
    }).add
    left.send(packet('Q', 'ROLLBACK\0'))
  })
  client.on('data', (data: Buffer) => {
    if (isStarted) return fromClient.add(data)
    const code = data.readInt32BE(4)
    if (code === SSL_REQUEST) return void client.write('N')
    if (code !== PROTOCOL_3) return void client.destroy()
    isStarted = true
    const unknown = namesIn(data).find((name) => !KNOWN_PARAMETERS.has(name))
    if (unknown)
      return void client.end(packet('E', `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`))
    const key = randomBytes(8)
    if (pid !== undefined) key.writeInt32BE(pid)
    client.write(
      Buffer.concat([
        packet('R', Buffer.alloc(4)),
        packet('S', 'client_encoding\0UTF8\0'),
        packet('K', key),
        packet('Z', 'I'),
      ]),
    )
  })
}

/** Cuts a stream into messages: a letter, a length, and as much more. */
class Messages {
  readonly #take: (message: Buffer) => void
  #rest: Buffer = Buffer.alloc(0)

  constructor(take: (message: Buffer) => void) {
    this.#take = take
  }

  readonly add = (data: Buffer): void => {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readInt32BE(1)
      if (this.#rest.length < length) return
      const message = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      this.#take(message)
    }
  }
}

function packet(letter: string, body: string | Buffer): Buffer {
  const content = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

function namesIn(startup: Buffer): string[] {
  const words = startup.subarray(8).toString('utf8').split('\0')
  return words.filter((word, index) => index % 2 === 0 && word !== '')
}
