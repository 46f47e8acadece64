import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import { postEvent } from '#lib/webhooks/post.ts'

let answer: (response: ServerResponse) => void = (response) => response.end()
const server = createServer((request, response) => request.resume().on('end', () => answer(response)))
beforeEach(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)))
afterEach(
  () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    }),
)

/** As Node's own client tells of it. */
const ITS_STATUS_IS_HERE = 'http.client.response.finish'

const reach = { allowed: readAllowedHosts('true'), resolve: async () => ['127.0.0.1'] }
function post(msMax: number, signal = new AbortController().signal) {
  const { port } = server.address() as AddressInfo
  return postEvent({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' }, reach, signal, msMax)
}

/** The status at once, and then a byte now and then, for ever. */
const dawdle = (response: ServerResponse) => {
  response.writeHead(200)
  response.write('.')
  const writing = setInterval(() => response.write('.'), 20)
  response.once('close', () => clearInterval(writing))
}

test('a receiver that says 200 and then a byte now and then has taken the event', async () => {
  answer = dawdle
  expect(await post(3_000)).toMatchObject({ kind: 'answered', status: 200, body: expect.stringMatching(/^\.+$/) })
})

test('what it has said counts also where we end the connection ourselves', async () => {
  const ending = new AbortController()
  const endSoon = () => setImmediate(() => ending.abort())
  answer = dawdle
  subscribe(ITS_STATUS_IS_HERE, endSoon)
  expect(await post(60_000, ending.signal)).toMatchObject({ kind: 'answered', status: 200 })
  unsubscribe(ITS_STATUS_IS_HERE, endSoon)
})

test('one that says nothing has said nothing', async () => {
  answer = () => undefined
  expect(await post(200)).toMatchObject({ kind: 'none', problem: expect.stringMatching(/No answer came/) })
})
