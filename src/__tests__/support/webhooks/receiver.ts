import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll } from 'vitest'
import type { Certificate } from '#tests/support/mail/certificates.ts'

/** One request as it came, and whether it proved by a secret of ours who sent it. */
export type Received = {
  id: string
  path: string
  type: string
  data: Record<string, unknown>
  body: string
  signatures: number
  isVerified: boolean
  status: number
  headers: http.IncomingHttpHeaders
}

type Told = Omit<Received, 'status'>
type Reply = { status: number; headers?: Record<string, string>; body?: string | Buffer } | 'hang' | 'reset'

/** A program of a customer's: it verifies by the public library of the specification, and writes down what came. */
export class Receiver {
  readonly received: Received[] = []
  /** By path: each endpoint has its own. */
  readonly secrets = new Map<string, string>()
  answer: (told: Told, times: number) => Reply | Promise<Reply> = () => ({ status: 204 })
  inFlight = 0
  mostInFlight = 0
  readonly #server: http.Server

  constructor(certificate?: Certificate) {
    this.#server = certificate
      ? https.createServer({ key: certificate.key, cert: certificate.cert }, this.#take)
      : http.createServer(this.#take)
  }

  async listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  accepted(): Received[] {
    return this.received.filter(({ status }) => status >= 200 && status < 300)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((done) => this.#server.close(() => done()))
  }

  readonly #take = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    this.inFlight += 1
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight)
    response.once('close', () => {
      this.inFlight -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const id = String(request.headers['webhook-id'])
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> }
    const signatures = String(request.headers['webhook-signature']).split(' ').length
    const isVerified = this.#verifies(path, body, request.headers)
    const told: Told = { ...{ id, path, type, data, body, signatures, isVerified }, headers: request.headers }
    const reply = await this.answer(told, this.received.filter((one) => one.id === id).length + 1)
    this.received.push({ ...told, status: typeof reply === 'string' ? 0 : reply.status })
    if (reply === 'hang') return
    if (reply === 'reset') return void request.socket.destroy()
    response.writeHead(reply.status, reply.headers).end(reply.body)
  }

  #verifies(path: string, body: string, headers: http.IncomingHttpHeaders): boolean {
    try {
      new Webhook(this.secrets.get(path) ?? '').verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
}

/** There from beforeAll to afterAll. */
export function testReceiver(certificate?: Certificate): Receiver {
  const receiver = new Receiver(certificate)
  beforeAll(() => receiver.listen())
  afterAll(() => receiver.close())
  return receiver
}
