import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '#tests/support/server/app.ts'
import type { Guest } from './guest.ts'

/** What an owner does before a first campaign: a postal address, a window that is always open, a mailbox at the catcher. */
export async function setUpSending(app: TestApp, owner: Guest): Promise<void> {
  const { workspace } = await owner.ask<{ workspace: { id: string } }>('GET', '/api/session')
  await owner.ask('PATCH', `/api/workspaces/${workspace.id}`, { postalAddress: 'Acme\n1 High Street' })
  await changeSending(owner, {
    sendingDays: [1, 2, 3, 4, 5, 6, 7],
    windowStartMinute: 0,
    windowEndMinute: 1440,
    jitterMinSeconds: 0,
    jitterMaxSeconds: 0,
  })
  const smtp = { host: '127.0.0.1', port: app.smtpPort, security: 'NONE', username: null }
  await owner.ask('POST', '/api/mailboxes', { address: 'ann@acme.example', displayName: 'Ann Acme', smtp })
}

/** Some of the sending settings; the others stay. */
export async function changeSending(owner: Guest, changes: Record<string, unknown>): Promise<void> {
  const {
    nextTimeZone: _zone,
    nextTimeZoneAt: _at,
    version: _version,
    ...settings
  } = await owner.ask<Record<string, unknown>>('GET', '/api/settings/sending')
  await owner.ask('PUT', '/api/settings/sending', { ...settings, ...changes })
}

/** People of whom nothing but the address is known, as a file; waits until the last of them is there. */
export async function importPeople(owner: Guest, addresses: readonly string[]): Promise<void> {
  const countPeople = async () => (await owner.ask<{ count: number }>('GET', '/api/prospects/count')).count
  const before = await countPeople()
  const csv = ['email', ...addresses, ''].join('\n')
  const taken = await owner.context.request.post('/api/prospects/import', {
    headers: { origin: owner.app.url },
    multipart: {
      options: JSON.stringify({ columns: [{ to: 'email' }], onKnown: 'update' }),
      file: { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) },
    },
  })
  if (!taken.ok()) throw new Error(await taken.text())
  while ((await countPeople()) < before + addresses.length) await sleep(100)
}

/** A campaign over everybody, from its texts to the answer of its launch. */
export async function launchToAll(owner: Guest, steps: unknown[]): Promise<string> {
  const sequence = await owner.ask<{ id: string }>('POST', '/api/sequences', { name: 'Welcome', steps })
  const { id } = await owner.ask<{ id: string }>('POST', '/api/campaigns', { name: 'Spring', sequenceId: sequence.id })
  await owner.ask('POST', `/api/campaigns/${id}/prospects`, { all: true })
  await owner.ask('POST', `/api/campaigns/${id}/launch`)
  return id
}

/** What Vercel's cron does, and what the tick answers. */
export async function callCron(app: TestApp): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${app.cronSecret}` }
  const answer = await fetch(`${app.url}/api/cron/send-emails`, { headers })
  return ((await answer.json()) as { data: Record<string, unknown> }).data
}
