import { execFile } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { importForm } from '#tests/support/data/import-form.ts'
import { testApp } from '#tests/support/server/app.ts'
import { HttpPerson } from '#tests/support/server/http-person.ts'

/** A hundred at once send nine and a half megabytes and never end: the product as shipped keeps hardly any of it. */
const app = testApp()

const CLIENTS = 100
const PIECE = Buffer.alloc(9_500_000, 'x')
const CHUNKED = 'Transfer-Encoding: chunked'
const LENGTH = `Content-Length: ${PIECE.length * 2}`
/** Kept whole, it would be a thousand. */
const GROWTH_BYTES_MAX = 350_000_000

let owner: HttpPerson

beforeAll(async () => {
  owner = new HttpPerson(app.url)
  const newOwner = { name: 'Olga', email: 'olga@example.com', password: 'correct horse battery', workspaceName: 'Acme' }
  await owner.ask('POST', '/api/setup', newOwner)
  await fetch(`${app.url}/sign-in`)
})

async function residentBytes(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(app.serverPid)])
  return Number(stdout) * 1_024
}

type Client = { socket: Socket; answer(): string }

/** Sends the head and the piece; settles when all of it is on its way, or when the server has answered or hung up. */
async function sendWithoutEnd(head: string, isChunked: boolean): Promise<Client> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  let answer = ''
  await new Promise<void>((resolve) => {
    socket.on('data', (data: Buffer) => {
      answer += data.toString('latin1')
      resolve()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.write(`${head}\r\n\r\n${isChunked ? `${(PIECE.length * 2).toString(16)}\r\n` : ''}`)
    socket.write(PIECE, () => resolve())
  })
  return { socket, answer: () => answer }
}

const FORM = ['Content-Type: multipart/form-data; boundary=b', LENGTH]
const PART = '\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv'

test.each<[string, string, string[], boolean, number | undefined]>([
  ['a stranger, to sign in', 'POST /api/session', ['Content-Type: application/json', LENGTH], false, 413],
  ['a stranger, in chunks', 'POST /api/session', ['Content-Type: application/json', CHUNKED], true, 413],
  ['a stranger, to a page', 'POST /overview', [LENGTH], false, 405],
  ['a stranger, with the GET of a page', 'GET /overview', [LENGTH], false, 400],
  ['a stranger, to a link', 'POST /u/nothing', [LENGTH], false, 404],
  ['a stranger, to an import', 'POST /api/prospects/import', FORM, false, 401],
  ['a member, to what takes JSON', 'POST /api/sequences', ['Content-Type: application/json', CHUNKED], true, undefined],
])('%s', async (who, line, headers, isChunked, status) => {
  const before = await residentBytes()
  const cookie = who.startsWith('a member') ? [`Cookie: ${owner.cookie}`] : []
  const head = [`${line} HTTP/1.1`, 'Host: localhost', `Origin: ${app.url}`, ...cookie, ...headers].join('\r\n')
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => sendWithoutEnd(head, isChunked)))
  expect((await residentBytes()) - before).toBeLessThan(GROWTH_BYTES_MAX)
  if (status)
    for (const { answer } of clients)
      await expect.poll(answer, { timeout: 30_000 }).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  for (const { socket } of clients) socket.destroy()
})

test('a member, to an import: four have a place, the others are told so, and places are given back', async () => {
  const before = await residentBytes()
  const lines = ['POST /api/prospects/import HTTP/1.1', 'Host: localhost', `Origin: ${app.url}`, ...FORM]
  const head = `${[...lines, `Cookie: ${owner.cookie}`].join('\r\n')}${PART}`
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => sendWithoutEnd(head, false)))
  const refused = () => clients.filter(({ answer }) => answer().startsWith('HTTP/1.1 429 ')).length
  await expect.poll(refused, { timeout: 30_000 }).toBe(CLIENTS - 4)
  expect((await residentBytes()) - before).toBeLessThan(GROWTH_BYTES_MAX)
  for (const { socket } of clients) socket.destroy()

  const { file, headers } = importForm('email\nann@example.com\n', { columns: [{ to: 'email' }], onKnown: 'leave' })
  const importAgain = async () => (await owner.call('POST', '/api/prospects/import', { headers, body: file })).status
  await expect.poll(importAgain, { timeout: 30_000 }).toBe(201)
})
