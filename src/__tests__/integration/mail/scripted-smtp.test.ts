import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSmtpTransport } from '#lib/mail/smtp/smtp-transport.ts'
import type { PeerOptions, PeerRecord } from '#tests/support/mail/scripted-smtp.ts'

const SCRIPT = 'src/__tests__/support/mail/scripted-smtp-process.ts'
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendonce-peer-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function submitTo(port: number, deadlineMs: number, key: string) {
  const server = { host: '127.0.0.1', addresses: ['127.0.0.1'], port, security: 'NONE' } as const
  const connecting = await createSmtpTransport(server, () => new Date()).connect(10_000)
  if (!connecting.ok) throw new Error(connecting.outcome.reason)
  const messageId = `<${key}@acme.test>`
  const raw = Buffer.from(`Message-ID: ${messageId}\r\nX-Key: ${key}\r\n\r\nHello.\r\n`)
  const envelope = { from: 'ann@acme.test', to: 'bob@example.test' }
  const outcome = await connecting.connection.submit({ envelope, messageId, raw }, deadlineMs)
  connecting.connection.close()
  return outcome
}

test('the scripted peer, as a process, has on disk what it accepted before it says so, and outlives a kill with it', async () => {
  const ledger = join(folder, 'ledger.jsonl')
  const options: PeerOptions = { ledger, keyHeader: 'X-Key' }
  const peer = fork(SCRIPT, [JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ port }] = (await once(peer, 'message')) as [{ port: number }]

  expect(await submitTo(port, 10_000, 'told')).toMatchObject({ kind: 'accepted' })
  peer.send({ peer: 0, id: 1, script: { dot: { reply: '', ending: 'hang', accepts: true } } })
  await once(peer, 'message')
  expect(await submitTo(port, 500, 'untold')).toMatchObject({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA' })
  peer.kill('SIGKILL')
  await once(peer, 'exit')

  const records = (await readFile(ledger, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PeerRecord)
  const accepted = records.filter(({ event }) => event === 'accepted')
  expect(accepted).toMatchObject([
    { key: 'told', messageId: '<told@acme.test>', from: 'ann@acme.test', to: ['bob@example.test'] },
    { key: 'untold', messageId: '<untold@acme.test>' },
  ])
  for (const { dataAt, acceptedAt } of accepted) expect(dataAt <= (acceptedAt ?? '')).toBe(true)
  expect(records.filter(({ event }) => event === 'data')).toHaveLength(2)
})
