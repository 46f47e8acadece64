import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import nodemailer, { type SendMailOptions } from 'nodemailer'
import { afterEach, beforeEach, expect } from 'vitest'
import type { CatcherReady } from '#catcher/main.ts'
import type { Summary } from '#catcher/message.ts'

export const MAIN = fileURLToPath(new URL('../../../catcher/main.ts', import.meta.url))

export type Catcher = CatcherReady & { child: ChildProcess }
type MessageList = { total: number; matching: number; messages: Summary[] }
type Message = Summary & {
  toHeader: string
  headers: { name: string; value: string }[]
  text: string | null
  html: string | null
  links: string[]
  attachments: { filename: string | null; contentType: string; bytes: number; href: string }[]
}

/** Of the test that runs: where its catchers keep what they catch. */
export let dir: string
/** What ends with the test. */
export const started: ChildProcess[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'catcher-test-'))
})

afterEach(async () => {
  for (const child of started.splice(0)) await kill(child)
  await rm(dir, { recursive: true, force: true })
})

export function startCatcher(...more: string[]): Promise<Catcher> {
  return startCatcherAs({}, ...more)
}

export async function startCatcherAs(env: Record<string, string>, ...more: string[]): Promise<Catcher> {
  const child = spawn(process.execPath, [MAIN, '--smtp-port', '0', '--http-port', '0', '--dir', dir, ...more], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const ready: CatcherReady = JSON.parse(await firstLine(child))
  return { ...ready, child }
}

export async function firstLine(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += chunk
    if (output.includes('\n')) return output.slice(0, output.indexOf('\n'))
  }
  throw new Error(`The process ended without a line: ${output}`)
}

export async function kill(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

export async function send(catcher: Catcher, mail: SendMailOptions, options: object = {}) {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: catcher.smtpPort, ...options })
  try {
    return await transport.sendMail({ from: 'Ada <ada@sender.test>', to: 'bo@there.test', subject: 'Hello', ...mail })
  } finally {
    transport.close()
  }
}

/** As a program that was given the token. */
export function get(catcher: Catcher, path = '', headers: Record<string, string> = {}): Promise<Response> {
  return fetch(catcher.url + path, { headers: { authorization: `Bearer ${catcher.token}`, ...headers } })
}

async function getJson<T>(catcher: Catcher, path: string): Promise<T> {
  const response = await get(catcher, path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

export const list = (catcher: Catcher, query = '') => getJson<MessageList>(catcher, `/api/messages${query}`)

export async function onlyMessage(catcher: Catcher): Promise<Message> {
  const { messages } = await list(catcher)
  expect(messages).toHaveLength(1)
  return await getJson<Message>(catcher, `/api/messages/${messages[0]?.id}`)
}

/** Unlike fetch, this sends any header as it is told. */
export async function call(catcher: Catcher, method: string, path: string, more: Record<string, string>) {
  const headers = { authorization: `Bearer ${catcher.token}`, ...more }
  return await new Promise<{ status: number | undefined; location: string | undefined; body: string }>(
    (resolve, reject) => {
      const request = httpRequest({ port: catcher.httpPort, host: '127.0.0.1', method, path, headers }, (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, location: response.headers.location, body }))
      })
      request.on('error', reject).end()
    },
  )
}
