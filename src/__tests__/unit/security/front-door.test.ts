import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { clientAddress, PEER_HEADER } from '#lib/platform/client-address.ts'
import { ARRIVED_HEADER, arrivedMs, readAtMs } from '#lib/platform/http/arrived.ts'
import { openFrontDoor } from '#lib/platform/http/front-door.ts'
import { methodsAt } from '#lib/wiring/methods-at.ts'

vi.hoisted(() => {
  process.env.LOG_LEVEL ||= 'silent'
})

/** What a server behind the door gets to see; the listener stands for Next. */
let server: Server
let seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = []

beforeAll(async () => {
  openFrontDoor(methodsAt)
  server = createServer(({ method, url, headers }, response) => {
    seen.push({ method, url, headers })
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})

afterAll(() => new Promise((done) => server.close(done)))

async function ask(line: string, headers: string[] = []): Promise<{ method?: string; url?: string; peer: unknown }> {
  seen = []
  const address = server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  socket.write(`${[`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)
  await new Promise((done) => socket.on('close', done).resume())
  const [first] = seen
  return { method: first?.method, url: first?.url, peer: first?.headers[PEER_HEADER] }
}

test.each([
  ['TRACE /api/lists', 'GET /api/-/method/GET-HEAD-POST-OPTIONS'],
  ['DELETE /api/lists?archived=true', 'GET /api/-/method/GET-HEAD-POST-OPTIONS'],
  ['PATCH /api/members/me', 'GET /api/-/method/DELETE-OPTIONS'],
  ['HEAD /api/audit/export', 'HEAD /api/-/method/POST-OPTIONS'],
  ['TRACE /api/nothing', 'GET /api/nothing'],
  ['GET /api/lists/%ff', 'GET /api/-/address'],
  ['GET /u/%ff', 'GET /-/address'],
  ['TRACE /overview', 'GET /-/method/GET-HEAD'],
  ['POST /overview', 'GET /-/method/GET-HEAD'],
  ['HEAD /u/%ff', 'HEAD /-/address'],
  ['PUT /u/some-token', 'GET /-/method/GET-HEAD-POST-OPTIONS'],
  ['OPTIONS *', 'GET /-/address'],
  ['GET http://evil.example', 'GET /'],
  ['GET https://evil.example?to=http://other.example/', 'GET /?to=http://other.example/'],
  // No client sends what stands behind a #, and Next cuts it off only after the method was looked at.
  ['POST /api/lists#x', 'POST /api/lists'],
  ['DELETE /api/lists#x?archived=true', 'GET /api/-/method/GET-HEAD-POST-OPTIONS'],
  ['GET /overview#%ff', 'GET /overview'],
  // Clients resolve these before they send; Next does it after the door has looked for another route.
  ['POST /api/prospects/import/../rejected', 'GET /api/-/method/GET-HEAD-PATCH-DELETE-OPTIONS'],
  ['POST /api/x/%2E%2e/lists?a=/../b', 'POST /api/lists?a=/../b'],
  ['POST /api\\lists', 'POST /api/lists'],
  ['GET /overview/.', 'GET /overview/'],
  ['GET //evil.example/x/..', 'GET //evil.example/'],
  ['DELETE http://evil.example/api/lists', 'GET /api/-/method/GET-HEAD-POST-OPTIONS'],
])('%s is led to an answer: %s', async (asked, led) => {
  const { method, url } = await ask(asked)
  expect(`${method} ${url}`).toBe(led)
})

test.each([
  'GET /api/lists?archived=true',
  'POST /api/campaigns/0199b1f0-0000-7000-8000-000000000000/launch',
  'PATCH /api/members/0199b1f0-0000-7000-8000-000000000000',
  'HEAD /api/health',
  'GET /overview?from=%ff',
  'POST /u/some-token',
])('%s goes through as it is', async (asked) => {
  const { method, url } = await ask(asked)
  expect(`${method} ${url}`).toBe(asked)
})

test.each([
  ['Content-Length: 2', '/-/body'],
  ['Transfer-Encoding: chunked', '/-/body'],
  ['Content-Length: 0', '/overview'],
])('a page that is asked for with %s is led to %s', async (header, led) => {
  expect((await ask('GET /overview', [header])).url).toBe(led)
})

test('the address of the socket is ours to say, whatever the caller writes', async () => {
  const { peer } = await ask('GET /api/health', [`${PEER_HEADER}: 203.0.113.9`, 'x-forwarded-for: 203.0.113.9'])
  expect(peer).toBe('127.0.0.1')
  const headers = new Headers({ [PEER_HEADER]: String(peer), 'x-forwarded-for': '203.0.113.9' })
  expect(clientAddress(headers, { TRUSTED_PROXIES: 0 })).toBe('127.0.0.1')
  expect(clientAddress(headers, { TRUSTED_PROXIES: 1 })).toBe('203.0.113.9')
})

test('a request has waited since the turn of the event loop in which it was read, whatever its caller writes', async () => {
  const before = performance.now()
  await ask('GET /api/health', [`${ARRIVED_HEADER}: 1`])
  const [arrived = 0] = seen.map(({ headers }) => Number(headers[ARRIVED_HEADER]))
  expect(arrived).toBeGreaterThanOrEqual(before)
  const request = (length: number) =>
    new Request('http://localhost', {
      headers: { [ARRIVED_HEADER]: String(arrived), 'content-length': String(length) },
    })
  expect(arrivedMs(request(2))).toBe(arrived)
  // Its body was still to come: its caller has not waited for us since then.
  expect(arrivedMs(request(10_000_000))).toBeGreaterThan(arrived)
})

test('of all that are read in one turn of the event loop, none has waited for less than the others', async () => {
  const inOneTurn = [readAtMs(), readAtMs()]
  await new Promise((later) => setImmediate(later))
  expect(new Set(inOneTurn).size).toBe(1)
  expect(readAtMs()).toBeGreaterThan(inOneTurn[0] ?? 0)
})

test('who asks for a tunnel is told that there is none, and is not left without an answer', async () => {
  const address = server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += String(data)
  })
  socket.write('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n')
  await new Promise((done) => socket.on('close', done))
  expect(answer).toMatch(/^HTTP\/1.1 405 Method Not Allowed\r\n/)
  expect(answer).toMatch(/\r\nallow: GET, HEAD\r\n/)
  expect(answer).toMatch(/"code":"method-not-allowed"/)
})
