import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSendonce } from '#client/sendonce.ts'

/** A server, or what stands before it, that answers as told. */
let server: Server
const asked: string[] = []
let answers: ((response: ServerResponse) => void)[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(String(request.headers['idempotency-key']))
    request.resume().on('end', () => (answers.length > 1 ? answers.shift() : answers[0])?.(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())
beforeEach(() => {
  asked.splice(0)
})

const json = (status: number, body: object) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const SENT = json(200, { success: true, data: { result: 'sent' } })
const IN_FLIGHT = json(409, {
  success: false,
  error: { code: 'in-flight', message: 'Under way.', details: { retryAfterSeconds: 120 } },
})

const send = () =>
  createSendonce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k' })('POST /api/emails', {
    body: { to: 'ada@example.com', subject: 'Hi', text: 'x' },
  })

test('what a gateway gave up waiting for may have been done, and is asked for again under its key', async () => {
  answers = [(response) => response.writeHead(504, { 'content-type': 'text/html' }).end('<p>Timeout</p>'), SENT]
  expect(await send()).toEqual({ result: 'sent' })
  expect([asked.length, new Set(asked).size]).toEqual([2, 1])
})

test('a first request that is still under way is waited for, also longer than a few tries take', async () => {
  answers = [...Array(5).fill(IN_FLIGHT), SENT]
  expect(await send()).toEqual({ result: 'sent' })
  expect([asked.length, new Set(asked).size]).toEqual([6, 1])
})
