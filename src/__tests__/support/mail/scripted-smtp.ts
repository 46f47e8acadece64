import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'

/** Where a script may break: `body` is when the first bytes of a message come, `dot` its end, `after` the moment after the answer. */
export type PeerStage =
  | 'banner'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'body'
  | 'dot'
  | 'after'
  | 'rset'

export type PeerStep = {
  /** Lines parted by \n, sent as they are. Absent: the usual answer; `''`: none. */
  reply?: string
  delayMs?: number
  /** After the reply, nothing is read for so long. */
  pauseMs?: number
  /** Sent in pieces of this many bytes, each in a packet of its own. */
  pieces?: number
  /** In the place of CRLF. */
  lineEnd?: string
  /** Without the last line end. */
  unterminated?: boolean
  /** Of `dot`: whether the message counts as accepted; by default when the reply is a 2xx. */
  accepts?: boolean
  ending?: 'go-on' | 'close' | 'hang' | 'reset'
}

/** One step for every time, or a list for the first, the second…, and the usual answer after those. */
export type PeerScript = Partial<Record<PeerStage, PeerStep | PeerStep[]>>

export type PeerOptions = {
  port?: number
  host?: string
  script?: PeerScript
  /** More at once are turned away with 421, as most servers do. */
  connectionsMax?: number
  /** What EHLO offers; PIPELINING, 8BITMIME, SMTPUTF8, AUTH and what else a script needs. */
  offers?: string[]
  tls?: { key: string; cert: string; implicit?: boolean }
  /** A file that gets a line for each 354 and each acceptance, on disk before it is answered. */
  ledger?: string
  /** The header of a message that carries its key. */
  keyHeader?: string
}

export type PeerRecord = {
  event: 'data' | 'accepted'
  connection: number
  from: string
  to: string[]
  /** When 354 was said. */
  dataAt: string
  acceptedAt?: string
  key?: string
  messageId?: string
  bytes?: number
}

export type ScriptedPeer = {
  port: number
  /** What counts as taken, whether or not the other side was told. */
  readonly accepted: PeerRecord[]
  readonly commands: string[]
  /** What has come after a 354, on all connections. */
  readonly bodyBytes: number
  readonly connections: number
  setScript(script: PeerScript): void
  close(): Promise<void>
}

export const OFFERS = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'SIZE 1000000', 'AUTH PLAIN LOGIN']

const USUAL: Record<PeerStage, string> = {
  banner: '220 peer.test ESMTP',
  ehlo: '',
  starttls: '220 2.0.0 Go ahead',
  auth: '235 2.7.0 Accepted',
  mail: '250 2.1.0 Ok',
  rcpt: '250 2.1.5 Ok',
  data: '354 Go ahead',
  body: '',
  dot: '250 2.0.0 Ok: queued',
  after: '',
  rset: '250 2.0.0 Ok',
}

/** An SMTP server that does at each stage what its script says, and keeps what it accepted. */
export async function startScriptedSmtp(options: PeerOptions = {}): Promise<ScriptedPeer> {
  const peer = new Peer(options)
  await peer.listen()
  return peer
}

class Peer implements ScriptedPeer {
  readonly options: PeerOptions
  readonly accepted: PeerRecord[] = []
  readonly commands: string[] = []
  bodyBytes = 0
  connections = 0
  port = 0
  #script: PeerScript
  readonly #counts = new Map<PeerStage, number>()
  readonly #sockets = new Set<Socket>()
  readonly #server
  readonly #ledger: number | undefined

  constructor(options: PeerOptions) {
    this.options = options
    this.#script = options.script ?? {}
    this.#ledger = options.ledger ? openSync(options.ledger, 'a') : undefined
    const serve = (socket: Socket) => {
      this.connections += 1
      this.track(socket)
      if (this.#sockets.size > (options.connectionsMax ?? Number.POSITIVE_INFINITY)) {
        socket.end('421 4.7.0 Too many connections\r\n')
        return
      }
      void new Session(this, socket, this.connections, options.tls?.implicit ?? false).run()
    }
    this.#server = options.tls?.implicit ? createTlsServer(options.tls, serve) : createServer(serve)
    this.#server.on('tlsClientError', () => undefined)
  }

  track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async listen(): Promise<void> {
    const { port = 0, host = '127.0.0.1' } = this.options
    await new Promise<void>((done) => this.#server.listen(port, host, done))
    this.port = (this.#server.address() as AddressInfo).port
  }

  setScript(script: PeerScript): void {
    this.#script = script
    this.#counts.clear()
  }

  next(stage: PeerStage): PeerStep {
    const count = this.#counts.get(stage) ?? 0
    this.#counts.set(stage, count + 1)
    const steps = this.#script[stage]
    return (Array.isArray(steps) ? steps[count] : steps) ?? {}
  }

  keep(record: PeerRecord): void {
    if (record.event === 'accepted') this.accepted.push(record)
    if (this.#ledger === undefined) return
    writeSync(this.#ledger, `${JSON.stringify(record)}\n`)
    fsyncSync(this.#ledger)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((done) => this.#server.close(done))
    if (this.#ledger !== undefined) closeSync(this.#ledger)
  }
}

class Session {
  readonly #peer: Peer
  #socket: Socket
  readonly #number: number
  #isEncrypted: boolean
  #buffered = Buffer.alloc(0)
  #wake = () => {}
  #isOver = false
  #isInMessage = false
  #from = ''
  #hasSender = false
  #to: string[] = []

  constructor(peer: Peer, socket: Socket, number: number, isEncrypted: boolean) {
    this.#peer = peer
    this.#socket = socket
    this.#number = number
    this.#isEncrypted = isEncrypted
    this.#listen()
  }

  async run(): Promise<void> {
    if (!(await this.#play('banner'))) return
    for (;;) {
      const line = await this.#readLine()
      if (line === undefined) return
      this.#peer.commands.push(line)
      if (!(await this.#obey(line))) return
    }
  }

  async #obey(line: string): Promise<boolean> {
    const verb = line.split(/[ :]/)[0]?.toUpperCase()
    switch (verb) {
      case 'EHLO':
      case 'HELO':
        return this.#play('ehlo', this.#offer())
      case 'STARTTLS':
        return this.#startTls()
      case 'AUTH':
        return this.#login(line)
      case 'MAIL':
        this.#from = /<(.*?)>/.exec(line)?.[1] ?? ''
        this.#hasSender = false
        this.#to = []
        return this.#play('mail', undefined, (reply) => {
          this.#hasSender = reply.startsWith('2')
        })
      case 'RCPT':
        return this.#play('rcpt', this.#hasSender ? USUAL.rcpt : '503 5.5.1 No sender', (reply) => {
          if (reply.startsWith('2')) this.#to.push(/<(.*?)>/.exec(line)?.[1] ?? '')
        })
      case 'DATA':
        return this.#takeMessage()
      case 'RSET':
        this.#to = []
        return this.#play('rset')
      case 'QUIT':
        this.#socket.end('221 2.0.0 Bye\r\n')
        return false
      default:
        this.#socket.write('500 5.5.2 What?\r\n')
        return true
    }
  }

  #offer(): string {
    const { offers = OFFERS, tls } = this.#peer.options
    const lines = ['peer.test', ...offers, ...(tls && !this.#isEncrypted ? ['STARTTLS'] : [])]
    return lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\n')
  }

  async #login(line: string): Promise<boolean> {
    if (/^AUTH LOGIN$/i.test(line)) {
      for (const prompt of ['VXNlcm5hbWU6', 'UGFzc3dvcmQ6']) {
        this.#socket.write(`334 ${prompt}\r\n`)
        if ((await this.#readLine()) === undefined) return false
      }
    }
    // It asks on for as long as its script says 334.
    for (;;) {
      let asks = false
      const goesOn = await this.#play('auth', undefined, (reply) => {
        asks = reply.startsWith('334')
      })
      if (!goesOn || !asks) return goesOn
      if ((await this.#readLine()) === undefined) return false
    }
  }

  async #takeMessage(): Promise<boolean> {
    const usual = this.#to.length > 0 ? USUAL.data : '503 5.5.1 No recipients'
    let goesAhead = false
    const goesOn = await this.#play('data', usual, (reply) => {
      goesAhead = reply.startsWith('354')
      this.#isInMessage = goesAhead
      if (goesAhead) this.#peer.keep({ event: 'data', ...this.#transaction(), dataAt: new Date().toISOString() })
    })
    if (!goesOn || !goesAhead) return goesOn
    const dataAt = new Date().toISOString()
    await this.#more()
    if (this.#buffered.length === 0) return false
    if (!(await this.#play('body'))) return false
    const message = await this.#readMessage()
    if (message === undefined) return false
    const step = this.#peer.next('dot')
    const reply = step.reply ?? USUAL.dot
    if (step.accepts ?? reply.startsWith('2')) this.#accept(message, dataAt)
    return (await this.#perform(step, reply)) && this.#play('after')
  }

  #accept(message: string, dataAt: string): void {
    const header = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*?)\\r$`, 'im').exec(`${message.split('\r\n\r\n')[0]}\r`)?.[1]
    const { keyHeader } = this.#peer.options
    this.#peer.keep({
      event: 'accepted',
      ...this.#transaction(),
      dataAt,
      acceptedAt: new Date().toISOString(),
      key: keyHeader ? header(keyHeader) : undefined,
      messageId: header('Message-ID'),
      bytes: message.length,
    })
  }

  #transaction() {
    return { connection: this.#number, from: this.#from, to: [...this.#to] }
  }

  #play(stage: PeerStage, usual = USUAL[stage], before?: (reply: string) => void): Promise<boolean> {
    const step = this.#peer.next(stage)
    return this.#perform(step, step.reply ?? usual, before)
  }

  /** Answers whether the session goes on. */
  async #perform(step: PeerStep, reply: string, before?: (reply: string) => void): Promise<boolean> {
    if (step.delayMs) await sleep(step.delayMs)
    if (this.#isOver) return false
    before?.(reply)
    const lineEnd = step.lineEnd ?? '\r\n'
    const text = reply === '' ? '' : `${reply.replaceAll('\n', lineEnd)}${step.unterminated ? '' : lineEnd}`
    await this.#write(text, step.pieces)
    if (step.pauseMs) {
      this.#socket.pause()
      await sleep(step.pauseMs)
      this.#socket.resume()
    }
    switch (step.ending ?? 'go-on') {
      case 'go-on':
        return true
      case 'close':
        this.#socket.end()
        return false
      case 'reset':
        this.#reset()
        return false
      case 'hang':
        return false
    }
  }

  async #write(text: string, pieces: number | undefined): Promise<void> {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += pieces ?? bytes.length) {
      await new Promise((done) => this.#socket.write(bytes.subarray(at, at + (pieces ?? bytes.length)), done))
      if (pieces) await sleep(2)
    }
  }

  #reset(): void {
    if (this.#socket instanceof TLSSocket) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  async #startTls(): Promise<boolean> {
    const { tls } = this.#peer.options
    let isGiven = false
    const goesOn = await this.#play('starttls', tls ? USUAL.starttls : '502 5.5.1 What?', (reply) => {
      isGiven = reply.startsWith('220')
    })
    if (!goesOn || !isGiven || !tls) return goesOn
    this.#socket.removeAllListeners('data')
    const secure = new TLSSocket(this.#socket, { isServer: true, key: tls.key, cert: tls.cert })
    this.#peer.track(secure)
    this.#socket = secure
    this.#isEncrypted = true
    this.#buffered = Buffer.alloc(0)
    this.#listen()
    return true
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#buffered = Buffer.concat([this.#buffered, chunk])
      if (this.#isInMessage) this.#peer.bodyBytes += chunk.length
      this.#wake()
    })
    this.#socket.on('close', () => {
      this.#isOver = true
      this.#wake()
    })
  }

  async #more(): Promise<void> {
    if (this.#buffered.length === 0 && !this.#isOver) await new Promise<void>((wake) => (this.#wake = wake))
  }

  async #readUntil(end: string, from = 0): Promise<string | undefined> {
    for (;;) {
      const at = this.#buffered.indexOf(end, from)
      if (at >= 0) {
        const text = this.#buffered.subarray(0, at).toString('utf8')
        this.#buffered = this.#buffered.subarray(at + end.length)
        return text
      }
      if (this.#isOver) return undefined
      await new Promise<void>((wake) => (this.#wake = wake))
    }
  }

  #readLine(): Promise<string | undefined> {
    return this.#readUntil('\r\n')
  }

  async #readMessage(): Promise<string | undefined> {
    const message = await this.#readUntil('\r\n.\r\n')
    this.#isInMessage = false
    return message
  }
}
