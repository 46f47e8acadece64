import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Deadline } from '#lib/mail/deadline.ts'
import { failureOf } from '#lib/mail/gmail/call-failure.ts'
import { gatedFetch } from '#lib/mail/gmail/gated-fetch.ts'

let server: Server
let url = ''
let whole: string[] = []
beforeEach(async () => {
  whole = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      whole.push(body)
      response.end('{}')
    })
    request.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const call = async (deadline: Deadline, target = url) => {
  const { fetch, isLetGo } = gatedFetch(deadline)
  try {
    await fetch(target, { method: 'POST', body: '{"id":"r1"}' })
    return 'sent'
  } catch (error) {
    return { failure: failureOf(error, isLetGo()), isLetGo: isLetGo() }
  }
}

test('within its time a request arrives whole', async () => {
  expect(await call(new Deadline(5_000))).toBe('sent')
  expect(whole).toEqual(['{"id":"r1"}'])
})

test('where the time was over before the connection was there, nothing that the server could act on has left', async () => {
  const deadline = new Deadline(1)
  await sleep(20)
  expect(await call(deadline)).toMatchObject({ failure: { kind: 'not-let-go' }, isLetGo: false })
  await sleep(50)
  expect(whole).toEqual([])
})

test('where the time ends while the connection is being made, the request is held back and nothing of it was let go', async () => {
  // It takes connections, and never says the first word of TLS.
  const silent = createTcpServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const deadline = new Deadline(200)
  const { fetch, isLetGo } = gatedFetch(deadline)
  const failed = await fetch(`https://127.0.0.1:${port}/`, {
    ...{ method: 'POST', body: '{"id":"r1"}', signal: AbortSignal.timeout(300) },
  }).catch((error: unknown) => failureOf(error, isLetGo()))
  expect(failed).toMatchObject({ kind: 'unreached' })
  expect(isLetGo()).toBe(false)
  silent.close()
})

test('who cannot be reached has had nothing', async () => {
  const { port } = server.address() as AddressInfo
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  expect(await call(new Deadline(5_000), `http://127.0.0.1:${port}/`)).toMatchObject({
    failure: { kind: 'unreached', code: 'ECONNREFUSED' },
    isLetGo: false,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
