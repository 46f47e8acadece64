import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { ApiResponse } from '#lib/platform/api-response.ts'
import type { RouteHandler } from '#lib/platform/http/route.ts'
import { type TestDatabase, testDatabase } from './database.ts'

export const APP_URL = 'http://localhost:3000'
export const PASSWORD = 'correct horse battery'

// The log is made when it is first imported. LOG_LEVEL=error in the shell shows what a failing test hides.
vi.hoisted(() => {
  process.env.LOG_LEVEL ||= 'silent'
})

// Outside of Next there is no answer to wait for; what would run after it is awaited with `settled()`.
const deferred: Promise<unknown>[] = []
vi.mock('next/server', () => ({
  after: (work: () => Promise<unknown>) => {
    deferred.push(work())
  },
}))

export async function settled(): Promise<void> {
  await Promise.all(deferred.splice(0))
}

/** A browser, as far as cookies go. */
export class Visitor {
  readonly cookies = new Map<string, string>()

  async call<T = unknown>(method: string, path: string, input: CallInput = {}): Promise<Answer<T>> {
    const response = await callRoute(method, path, input, this.header())
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (!name || value === undefined) continue
      if (/max-age=0\b/i.test(cookie) || value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const json = isJson ? ((await response.clone().json()) as ApiResponse<T>) : undefined
    return { status: response.status, response, json }
  }

  /** For calls that must succeed; answers their data. */
  async ask<T = unknown>(method: string, path: string, input: CallInput = {}): Promise<T> {
    const { json, status } = await this.call<T>(method, path, input)
    if (!json?.success) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`)
    return json.data
  }

  header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

export type CallInput = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** Sent as it is, in place of JSON: a file. Its type goes into `headers`. */
  file?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}
export type Answer<T> = { status: number; response: Response; json: ApiResponse<T> | undefined }

/** Calls a handler in this process, with a real Request, as a browser at our own address would. */
async function callRoute(method: string, path: string, input: CallInput, cookie: string): Promise<Response> {
  const handler = await loadHandler(method, path)
  const address = path.replace(/\[(\w+)\]/g, (_, name: string) => input.params?.[name] ?? '')
  const headers = new Headers({ origin: APP_URL, 'sec-fetch-site': 'same-origin' })
  if (cookie) headers.set('cookie', cookie)
  const reads = method === 'GET' || method === 'HEAD'
  if (!reads) headers.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(input.headers ?? {})) {
    if (value === '') headers.delete(name)
    else headers.set(name, value)
  }
  const request = new Request(`${APP_URL}${address}?${new URLSearchParams(input.query)}`, {
    method,
    headers,
    ...(reads ? {} : { body: input.file ?? JSON.stringify(input.body ?? {}) }),
  })
  return handler(request, { params: Promise.resolve(input.params ?? {}) })
}

async function loadHandler(method: string, path: string): Promise<RouteHandler> {
  const module: Record<string, RouteHandler> = await import(/* @vite-ignore */ resolve(`src/app${path}/route.ts`))
  const handler = module[method]
  if (!handler) throw new Error(`${path} has no ${method}`)
  return handler
}

export type TestApp = {
  readonly db: TestDatabase
  /** What the product has sent, oldest first. */
  readonly mails: ParsedMail[]
  /** While true, the mail server refuses every recipient. */
  refuseMail: boolean
  /** While true, it asks to come back later. */
  isMailBusy: boolean
  /** While true, it talks to nobody. */
  isMailDown: boolean
}

/** The product in this process, on a database of its own, with a mail server that keeps what it is sent. */
export function testApp(): TestApp {
  const mails: ParsedMail[] = []
  const app: TestApp = { db: testDatabase(), mails, refuseMail: false, isMailBusy: false, isMailDown: false }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // The product keeps its connections, and by itself the server waits half a minute for each to be given back.
    closeTimeout: 100,
    // Connections are kept, so that it has to fall silent on those as well.
    onConnect: (_session, callback) => callback(app.isMailDown ? goingDown() : null),
    onMailFrom: (_address, _session, callback) => callback(app.isMailDown ? goingDown() : null),
    onRcptTo: (_address, _session, callback) => {
      if (app.isMailBusy) return callback(Object.assign(new Error('4.3.2 Come back later'), { responseCode: 451 }))
      callback(app.refuseMail ? new Error('no such user') : null)
    },
    onData: (stream, _session, callback) => {
      void simpleParser(stream).then((mail) => {
        mails.push(mail)
        callback()
      })
    },
  })
  beforeAll(async () => {
    const port = await new Promise<number>((done) => {
      const server = smtp.listen(0, '127.0.0.1', () => {
        const address = server.address()
        done(typeof address === 'object' && address ? address.port : 0)
      })
    })
    Object.assign(process.env, {
      DATABASE_URL: app.db.url,
      APP_URL,
      CRON_SECRET: randomBytes(16).toString('hex'),
      AUTH_SECRET: randomBytes(32).toString('hex'),
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      SYSTEM_MAIL_URL: `smtp://127.0.0.1:${port}`,
      SYSTEM_MAIL_FROM: 'sendonce@example.com',
      SMTP_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      TRUSTED_PROXIES: '1',
    })
  })
  afterAll(async () => {
    const { database } = await import('#lib/platform/database.ts')
    await database().end()
    await new Promise<void>((done) => smtp.close(() => done()))
  })
  return app
}

const goingDown = () => Object.assign(new Error('4.3.2 Going down'), { responseCode: 421 })

/** The secret of the link in the newest mail to an address. */
export function tokenMailedTo(app: TestApp, email: string): string {
  const mail = app.mails.findLast((sent) => JSON.stringify(sent.to).includes(email))
  const token = /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
  expect(token, `no mail with a link to ${email}`).toBeDefined()
  return token ?? ''
}

export async function setUp(email = 'olga@example.com', workspaceName = 'Acme'): Promise<Visitor> {
  const owner = new Visitor()
  await owner.ask('POST', '/api/setup', { body: { name: 'Olga Owner', email, password: PASSWORD, workspaceName } })
  return owner
}

export async function signIn(email: string, password = PASSWORD): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.ask('POST', '/api/session', { body: { email, password } })
  return visitor
}

/** Invites, and accepts as a new person. */
export async function join(app: TestApp, host: Visitor, email: string, role: string): Promise<Visitor> {
  await host.ask('POST', '/api/invitations', { body: { email, role } })
  const visitor = new Visitor()
  const newPerson = { name: email.split('@')[0] ?? email, password: PASSWORD }
  await visitor.ask('POST', '/api/invitations/accept', { body: { token: tokenMailedTo(app, email), newPerson } })
  return visitor
}

export type Me = {
  person: { id: string; email: string }
  workspaces: { id: string; name: string; role: string; timeZone: string }[]
  workspace: { id: string; name: string; role: string; timeZone: string } | null
}

export const whoAmI = (visitor: Visitor) => visitor.ask<Me>('GET', '/api/session')

export type MemberOut = { id: string; personId: string; email: string; role: string }

export async function memberId(visitor: Visitor, email: string): Promise<string> {
  const { members } = await visitor.ask<{ members: MemberOut[] }>('GET', '/api/members')
  const found = members.find((member) => member.email === email)
  if (!found) throw new Error(`${email} is no member`)
  return found.id
}
