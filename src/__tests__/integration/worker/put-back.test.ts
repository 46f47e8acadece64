import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readMaybeSent } from '#lib/email-scheduler/read/after-restore.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark } from '#lib/email-scheduler/send/final-check.ts'
import { liftHold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { hasGoneBack, latestMoment } from '#lib/email-scheduler/send/moment.ts'
import { createPool } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { Witness } from '#lib/worker/witness.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { readyFrom } from '#tests/support/mail/ready-email.ts'
import { sendAll, sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'
import { prepareTestDatabase } from '#tests/support/server/test-server.ts'
import { silent } from '#tests/support/silent.ts'

/** A copy of a server's own folder is put back under it: identifier, timeline and oids are the same as before. */
let cluster: Cluster
let folder: string
let provider: TestProvider
const open: pg.Pool[] = []

beforeAll(async () => {
  cluster = await Cluster.start()
  folder = await mkdtemp(join(tmpdir(), 'sendonce-witness-'))
})
afterAll(async () => {
  await cluster?.stop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  provider = new TestProvider()
})
afterEach(async () => {
  const last = aProcess()
  await liftHold(last, 'olga')
  await last.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
  for (const pool of open.splice(0)) await pool.end()
})

/** What a process remembers, it remembers of its pool. */
function aProcess(): pg.Pool {
  const pool = createPool(cluster.url, 4)
  open.push(pool)
  return pool
}

async function endOf(pool: pg.Pool): Promise<void> {
  open.splice(open.indexOf(pool), 1)
  await pool.end()
}

const tick = (pool: pg.Pool, witness?: Witness) =>
  runTick(pool, 'worker-1', silent, { witness, sending: sendingThrough(pool, provider) })

describe('under a worker that lives', () => {
  test('within one tick: nothing goes out again, and the claim itself says so for all others', async () => {
    const pool = aProcess()
    await tick(pool)
    const campaign = await makeDueCampaign(pool, { prospects: 5 })
    await cluster.snapshot()
    // What was seen by the tick is in the snapshot as well: only what was claimed and marked since is not.
    await sendAll(pool, provider)
    expect(provider.handed).toHaveLength(5)

    await cluster.goBack()
    expect(await statusesOf(pool, campaign.campaignId)).toEqual({ SCHEDULED: 5 })
    expect(await sendAll(pool, provider, { claimMsMax: 2_000 })).toMatchObject({ due: 0 })
    expect(await readHold(pool)).toMatchObject({ isHeld: true, reason: 'WENT_BACK' })
    expect(await readMaybeSent(pool)).toMatchObject([{ emails: 5 }])
    const young = aProcess()
    await tick(young)
    await tick(pool)
    expect(provider.handed).toHaveLength(5)

    await liftHold(pool, 'olga')
    await tick(pool)
    expect(provider.handed).toHaveLength(10)
    expect(await readHold(pool)).toMatchObject({ isHeld: false })
  })

  test('between claim and mark: the mark refuses', async () => {
    const pool = aProcess()
    await tick(pool)
    const { workspaceId } = await makeDueCampaign(pool, { prospects: 2 })
    const claim = async () => {
      const claimed = await claimNext(pool, { worker: 'worker-1', leaseMs: 60_000 }, 1)
      const [email] = claimed.kind === 'claimed' ? claimed.emails : []
      if (!email) throw new Error('nothing was claimed')
      return email
    }
    const look = async (email: Awaited<ReturnType<typeof claim>>) =>
      checkAndMark(pool, email.mailboxId, workspaceId, [await readyFrom(pool, email)], 10_000)
    const first = await claim()
    await cluster.snapshot()
    expect((await look(await claim())).marked).toHaveLength(1)
    await cluster.goBack()
    const { marked, released } = await look(first)
    expect(marked).toEqual([])
    expect(released).toMatchObject([{ code: 'sending-held' }])
  })

  test('that crashes, and keeps what it has committed, is accused of nothing', async () => {
    const pool = aProcess()
    await tick(pool)
    for (let round = 0; round < 3; round += 1) {
      await makeDueCampaign(pool, { prospects: 2 })
      expect(await sendAll(pool, provider)).toMatchObject({ sent: 2 })
      await cluster.restart('crash', 0)
      expect(await hasGoneBack(pool)).toBe(false)
    }
    expect(await sendAll(pool, provider, { claimMsMax: 1_000 })).toMatchObject({ due: 0 })
    expect(await readHold(pool)).toMatchObject({ isHeld: false })
  })
})

describe('while no worker lives', () => {
  test('the next one on this machine holds sending, and so does the doctor before it', async () => {
    const before = aProcess()
    await tick(before, Witness.of(before, folder, silent))
    await makeDueCampaign(before, { prospects: 5 })
    await cluster.snapshot()
    await tick(before, Witness.of(before, folder, silent))
    expect(provider.handed).toHaveLength(5)
    await endOf(before)

    await cluster.goBack()
    const doctor = runCommandProcess('doctor', ['--after-restore'], { DATABASE_URL: cluster.url, WITNESS_DIR: folder })
    expect(await doctor.ended).toBe(0)
    expect(doctor.output()).toMatch(/gone back to an earlier state.*: 5\n/s)
    await liftHold(aProcess(), 'olga')

    await cluster.goBack()
    const after = aProcess()
    await tick(after, Witness.of(after, folder, silent))
    expect(provider.handed).toHaveLength(5)
    expect(await readHold(after)).toMatchObject({ isHeld: true, reason: 'WENT_BACK' })
    expect(await readMaybeSent(after)).toMatchObject([{ emails: 5 }])

    await liftHold(after, 'olga')
    const later = aProcess()
    await tick(later, Witness.of(later, folder, silent))
    expect(provider.handed).toHaveLength(10)
  })

  test('also where the snapshot is older than everything that the product wrote down of the server', async () => {
    const url = Object.assign(new URL(cluster.url), { pathname: '/young' }).href
    const admin = aProcess()
    await admin.query('DROP DATABASE IF EXISTS young')
    await admin.query('CREATE DATABASE young')
    await prepareTestDatabase(url)
    const young = () => {
      const pool = createPool(url, 4)
      open.push(pool)
      return pool
    }
    const before = young()
    await makeDueCampaign(before, { prospects: 3 })
    await cluster.snapshot()
    // The first tick writes down where it is, the second remembers it.
    for (const _ of [1, 2]) await tick(before, Witness.of(before, folder, silent))
    expect(provider.handed).toHaveLength(3)
    await endOf(before)
    await cluster.goBack()
    const after = young()
    await tick(after, Witness.of(after, folder, silent))
    expect(provider.handed).toHaveLength(3)
    expect(await readHold(after)).toMatchObject({ isHeld: true, reason: 'WENT_BACK' })
    await liftHold(after, 'olga')
  })

  test('what is written down accuses no other database, and none that went on', async () => {
    const one = aProcess()
    await tick(one, Witness.of(one, folder, silent))
    await tick(one, Witness.of(one, folder, silent))
    const files = await readdir(folder)
    await cluster.restart('crash', 0)
    const again = aProcess()
    const witness = Witness.of(again, folder, silent)
    await witness.recall()
    expect(latestMoment(again)).toMatchObject({ tick: latestMoment(one)?.tick })
    await tick(again, witness)
    expect(await readHold(again)).toMatchObject({ isHeld: false })

    const url = Object.assign(new URL(cluster.url), { pathname: '/other' }).href
    await again.query('DROP DATABASE IF EXISTS other')
    await again.query('CREATE DATABASE other')
    await prepareTestDatabase(url)
    const other = createPool(url, 4)
    open.push(other)
    await tick(other, Witness.of(other, folder, silent))
    await tick(other, Witness.of(other, folder, silent))
    expect(await readHold(other)).toMatchObject({ isHeld: false })
    expect(await readdir(folder)).toHaveLength(files.length + 1)
    expect((await readdir(folder)).every((name) => /^\d+-\d+\.json$/.test(name))).toBe(true)
  })

  test('a worker that is older than the file takes nothing back in it, and a disk that is full ends no tick', async () => {
    const [ahead, behind] = [aProcess(), aProcess()]
    const [theirs, ours] = [Witness.of(ahead, folder, silent), Witness.of(behind, folder, silent)]
    await tick(behind, ours)
    await tick(ahead, theirs)
    await makeDueCampaign(behind, { prospects: 1 })
    await ours.keep()
    const next = aProcess()
    await Witness.of(next, folder, silent).recall()
    expect(latestMoment(next)?.tick).toBe(latestMoment(ahead)?.tick)

    const nowhere = aProcess()
    await tick(nowhere, Witness.of(nowhere, '/dev/null/nowhere', silent))
    expect(await sendAll(nowhere, provider, { claimMsMax: 1_000 })).toMatchObject({ sent: 0 })
    expect(provider.handed).toHaveLength(1)
  })
})
