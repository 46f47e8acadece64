import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NO_HOSTS_ALLOWED, readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import { resolverFor } from '#lib/mail/smtp/resolve-name.ts'

/** A name server that knows one name, denies `no.…`, and is silent about all others. */
let server: Socket
let address = ''
const asked: string[] = []

beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const name = labels.join('.').toLowerCase()
    const isFour = query.readUInt16BE(at + 1) === 1
    asked.push(name)
    const isKnown = name === 'mail.example.com'
    if (!isKnown && !name.startsWith('no.')) return
    const question = query.subarray(12, at + 5)
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(isKnown && isFour ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
    server.send(Buffer.concat([head, question, ...(isKnown && isFour ? [answer] : [])]), from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('names whose servers are silent keep no other name waiting, be it asked here or of the system', async () => {
  const resolve = resolverFor(NO_HOSTS_ALLOWED, [address])
  let silent = 0
  const waiting = Array.from({ length: 60 }, (_, index) =>
    resolve(`hook-${index}.silent.example`).catch((error: NodeJS.ErrnoException) => {
      silent += 1
      return error.code
    }),
  )
  expect(await resolve('mail.example.com')).toEqual(['192.0.2.7'])
  expect((await lookup('localhost', { all: true })).length).toBeGreaterThan(0)
  expect(await resolve('no.example.com')).toEqual([])
  expect(silent).toBe(0)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['EAI_AGAIN']))
})

test('what the operator has named, and what has no dot, is found as the system finds it', async () => {
  asked.splice(0)
  const resolve = resolverFor(readAllowedHosts('relay.localhost, 10.0.0.0/8'), [address])
  await Promise.all(['localhost', 'LOCALHOST.', 'relay.localhost'].map((name) => resolve(name).catch(() => [])))
  expect(asked).toEqual([])
})
