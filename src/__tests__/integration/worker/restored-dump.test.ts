import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readMaybeSent } from '#lib/email-scheduler/read/after-restore.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { holdSending, liftHold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { createPool } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { putBack, restoreClean, takeDump } from '#tests/support/data/dump.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { sendAll, sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'
import { createTestDatabase, dropTestDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

let url: string
let pool: pg.Pool
let provider: TestProvider
const undo: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  provider = new TestProvider()
  url = await createTestDatabase()
  pool = await openPool(url)
  undo.unshift(() => dropTestDatabase(url))
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function openPool(address: string): Promise<pg.Pool> {
  const opened = createPool(address, 5)
  undo.push(() => opened.end())
  return opened
}

/** A worker of a process that remembers nothing: one that was started after the restore. */
const tick = (by: pg.Pool, worker = 'worker-1', sends = true) =>
  runTick(by, worker, silent, sends ? { sending: { ...sendingThrough(by, provider) } } : {})

test('a dump that is restored in place, with --clean, sends nothing again, and plain doctor says so before the first tick', async () => {
  await tick(pool)
  const campaign = await makeDueCampaign(pool, { prospects: 5 })
  const dump = await takeDump(pool)
  await tick(pool)
  expect(provider.handed).toHaveLength(5)

  await restoreClean(pool, url, dump)
  const restored = await openPool(url)
  expect(await statusesOf(restored, campaign.campaignId)).toEqual({ SCHEDULED: 5 })
  expect(await examine(restored)).toMatchObject([{ name: 'sending-is-not-held' }])
  const doctor = runCommandProcess('doctor', [], { DATABASE_URL: url })
  expect(await doctor.ended).toBe(1)
  expect(doctor.output()).toMatch(/sending-is-not-held/)

  await tick(restored)
  await tick(restored, 'worker-2')
  expect(provider.handed).toHaveLength(5)
  expect(await readHold(restored)).toMatchObject({ isHeld: true, reason: 'CHANGED' })
})

test('a dump that is restored into a new database on the same server is noticed too', async () => {
  await tick(pool)
  await makeDueCampaign(pool, { prospects: 5 })
  const name = `${new URL(url).pathname.slice(1)}_copy`
  // A copy has the tables' very oids: only the database's own is another.
  await pool.end()
  undo.pop()
  const admin = await openPool(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await admin.query(`CREATE DATABASE "${name}" TEMPLATE "${new URL(url).pathname.slice(1)}"`)
  const copy = Object.assign(new URL(url), { pathname: `/${name}` }).href
  undo.unshift(() => dropTestDatabase(copy))
  const restored = await openPool(copy)

  expect(await sendAll(restored, provider)).toMatchObject({ due: 0 })
  await tick(restored)
  expect(provider.handed).toEqual([])
  expect(await readHold(restored)).toMatchObject({ isHeld: true, reason: 'CHANGED' })
  await liftHold(restored, 'olga')
  await tick(restored)
  expect(provider.handed).toHaveLength(5)
})

test('a worker that lives through a snapshot put back under it stops in the middle of its tick, and says so at the next', async () => {
  await tick(pool)
  const campaign = await makeDueCampaign(pool, { prospects: 5 })
  const snapshot = await takeDump(pool)
  await tick(pool)
  expect(provider.handed).toHaveLength(5)

  await putBack(pool, snapshot)
  expect(await statusesOf(pool, campaign.campaignId)).toEqual({ SCHEDULED: 5 })
  // Still in the tick before: no heartbeat has been written since.
  expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
  await tick(pool)
  await tick(pool)
  expect(provider.handed).toHaveLength(5)
  expect(await readHold(pool)).toMatchObject({ isHeld: true, reason: 'WENT_BACK' })
  expect(await readMaybeSent(pool)).toMatchObject([{ emails: 5 }])
  // One that was started afterwards remembers nothing, and is held all the same.
  const young = await openPool(url)
  await tick(young, 'worker-2')
  expect(provider.handed).toHaveLength(5)

  await liftHold(pool, 'olga')
  await tick(pool)
  expect(provider.handed).toHaveLength(10)
  expect(await readHold(pool)).toMatchObject({ isHeld: false })
})

test('what may have been sent is told alike before and after workers have ticked, recovered and planned anew', async () => {
  await tick(pool)
  const backlog = await makeDueCampaign(pool, { prospects: 2 })
  await travel(pool, '1 minute')
  // The last sign of sending: from here on, the server that is lost went on alone.
  await tick(pool, 'worker-1', false)
  const claim = await claimNext(pool, { worker: 'worker-1', leaseMs: 60_000 }, 1)
  expect(claim.kind).toBe('claimed')
  await travel(pool, '1 minute')
  await makeDueCampaign(pool, { prospects: 3 })
  const dump = await takeDump(pool)
  await restoreClean(pool, url, dump)
  const restored = await openPool(url)
  await restored.query(`CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $$ BEGIN RETURN date_trunc('milliseconds', clock_timestamp() + (SELECT "offset" FROM test_support.clock)); END $$`)

  await tick(restored)
  const told = async () => (await readMaybeSent(restored)).map(({ doubt, emails }) => `${doubt} ${emails}`).sort()
  const expected = ['BEFORE 1', 'HELD 1', 'IN_BETWEEN 3']
  expect(await told()).toEqual(expected)
  await travel(restored, '10 minutes')
  await tick(restored)
  expect(await statusesOf(restored, backlog.campaignId)).toEqual({ SCHEDULED: 2 })
  await restored.query(
    `UPDATE scheduled_emails SET ready_at = app_now() + interval '1 day', scheduled_for = app_now() + interval '1 day' WHERE status = 'SCHEDULED'`,
  )
  await tick(restored, 'worker-2')
  expect(await told()).toEqual(expected)
  await restored.query(
    `UPDATE scheduled_emails SET status = 'CANCELLED', ready_at = NULL, cancelled_at = app_now(), cancel_reason = 'BY_PERSON'
    WHERE campaign_id = $1`,
    [backlog.campaignId],
  )
  expect(await told()).toEqual(['IN_BETWEEN 3'])
  await liftHold(restored, 'olga')
  expect(await told()).toEqual([])
})

test('a hold of long ago that a restored dump brings along does not pass for the change', async () => {
  await tick(pool)
  await holdSending(pool)
  const dump = await takeDump(pool)
  await liftHold(pool, 'olga')
  await restoreClean(pool, url, dump)
  const restored = await openPool(url)
  await makeDueCampaign(restored, { prospects: 2 })
  expect(await readHold(restored)).toMatchObject({ reason: 'BY_PERSON' })
  await tick(restored)
  expect(await readHold(restored)).toMatchObject({ isHeld: true, reason: 'CHANGED' })
  expect(await readMaybeSent(restored)).toMatchObject([{ emails: 2 }])
})

async function travel(by: pg.Pool, interval: string): Promise<void> {
  await by.query('UPDATE test_support.clock SET "offset" = "offset" + $1::interval', [interval])
}
