import { beforeEach, describe, expect, inject, test } from 'vitest'
import { endCampaign } from '#lib/campaigns/move.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { dismiss } from '#lib/email-scheduler/verbs/dismiss.ts'
import { reschedule } from '#lib/email-scheduler/verbs/reschedule.ts'
import { assumeDelivered, sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { restore } from '#lib/email-scheduler/verbs/restore.ts'
import { retryFailed } from '#lib/email-scheduler/verbs/retry.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { INVARIANTS } from '#lib/operations/doctor/invariants.ts'
import { appNow } from '#lib/platform/clock.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { FAULTS, makeSoundPlace, plant, type SoundPlace } from '#tests/support/data/doctor-faults.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

describe('a database that has been at work', () => {
  const db = testDatabase()

  test('is well after sending with every kind of outcome, crashes, and all that people may do', async () => {
    const provider = new TestProvider()
    const campaign = await makeDueCampaign(db.pool, { prospects: 40, delays: [0, 1], mailboxes: 2 })
    provider.answer = ({ message }, count) =>
      [
        { kind: 'accepted', messageId: message.messageId } as const,
        { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' } as const,
        { kind: 'retry', scope: 'message', code: 'TEMPORARY_FAILURE', reason: 'Later.' } as const,
        { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'No.' } as const,
        { kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'Nobody.' } as const,
      ][count % 5] ?? { kind: 'accepted', messageId: message.messageId }
    await sendAll(db.pool, provider)
    expect(Object.keys(await statusesOf(db.pool, campaign.campaignId)).sort()).toEqual([
      'CANCELLED',
      'OUTCOME_UNKNOWN',
      'PERMANENTLY_FAILED',
      'RETRY_SCHEDULED',
      'SCHEDULED',
      'SENT',
    ])
    expect(await examine(db.pool)).toEqual([])

    await db.travel('3 minutes')
    const { workspaceId } = campaign
    const idsOf = async (status: string) =>
      (
        await db.pool.query<{ id: string }>(
          'SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status = $2 ORDER BY id',
          [campaign.campaignId, status],
        )
      ).rows.map(({ id }) => id)
    const person = (verb: (tx: Parameters<Parameters<typeof inTransaction>[1]>[0]) => Promise<unknown>) =>
      inTransaction(db.pool, verb)
    const [one, two, three, ...others] = await idsOf('OUTCOME_UNKNOWN')
    await person((tx) => sendAgain(tx, workspaceId, [one ?? ''], 60_000))
    await person((tx) => assumeDelivered(tx, workspaceId, [two ?? '']))
    await person((tx) => dismiss(tx, workspaceId, [three ?? '']))
    expect(others.length).toBeGreaterThan(0)
    const [failed, alsoFailed] = await idsOf('PERMANENTLY_FAILED')
    await person((tx) => retryFailed(tx, workspaceId, [failed ?? '']))
    await person((tx) => dismiss(tx, workspaceId, [alsoFailed ?? '']))
    const [retry, alsoRetry] = await idsOf('RETRY_SCHEDULED')
    await person((tx) => cancel(tx, workspaceId, [retry ?? '']))
    const tomorrow = new Date((await appNow(db.pool)).getTime() + 86_400_000)
    await person((tx) => reschedule(tx, workspaceId, [alsoRetry ?? ''], tomorrow))
    const [waiting] = await idsOf('SCHEDULED')
    await person((tx) => cancel(tx, workspaceId, [waiting ?? '']))
    await person((tx) => restore(tx, workspaceId, [waiting ?? '']))
    expect(await examine(db.pool)).toEqual([])

    await runTick(db.pool, 'test', silent)
    provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
    await sendAll(db.pool, provider)
    // A worker that dies with a claim and no mark.
    await db.pool.query(
      `UPDATE scheduled_emails SET status = 'SENDING', lease_token = lease_token + 1, leased_by = 'dead', leased_at = app_now(),
         lease_until = app_now() + interval '1 minute' WHERE id IN (SELECT id FROM scheduled_emails WHERE status = 'SCHEDULED' LIMIT 1)`,
    )
    await db.travel('20 minutes')
    expect((await examine(db.pool)).map(({ name }) => name)).toEqual(['leases-end'])
    await inTransaction(db.pool, (tx) => recover(tx, 10))
    await inTransaction(db.pool, (tx) => endCampaign(tx, workspaceId, campaign.campaignId, actor))
    await db.travel('20 minutes')
    expect((await examine(db.pool)).map(({ name }) => name)).toEqual(['nothing-waits-in-a-stopped-campaign'])
    await runTick(db.pool, 'test', silent)
    expect(await examine(db.pool)).toEqual([])
  })
})

describe('each fault is found', () => {
  const db = testDatabase()
  let place: SoundPlace

  // Sent, with its follow-up waiting. Each fault is planted with the triggers off, and taken back by itself or left in a campaign of its own.
  beforeEach(async () => {
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED', updated_at = app_now()`)
    place = await makeSoundPlace(db.pool)
  })

  test('there is a fault for every invariant', () => {
    expect(Object.keys(FAULTS)).toEqual(INVARIANTS.map(({ name }) => name))
  })

  test.each(Object.entries(FAULTS))('%s', async (name, [, values, offends = values]) => {
    expect(await examine(db.pool)).toEqual([])
    const tx = await db.pool.connect()
    try {
      await tx.query('BEGIN')
      await plant(tx, name, place)
      const found = INVARIANTS.find((invariant) => invariant.name === name)
      const { rows } = await tx.query<{ id: unknown }>(`SELECT id::text FROM (${found?.sql}) found`)
      expect(rows.map((row) => row.id)).toEqual(offends(place))
    } finally {
      await tx.query('ROLLBACK')
      tx.release()
    }
  })
})

test('the command says all is well with 0, and names what is not with 1', async () => {
  // The server that tests share does not keep what it has committed, which the doctor tells.
  const cluster = await Cluster.start({ fsync: 'on' })
  const { url } = cluster
  const pool = createPool(url, 2)
  try {
    const well = runCommandProcess('doctor', [], { DATABASE_URL: url })
    expect(await well.ended).toBe(0)
    expect(well.output()).toMatch(/All is well: \d+ invariants hold\./)
    const workspaceId = newId()
    await pool.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Acme')`, [workspaceId])
    await pool.query(
      `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at) VALUES ($1, $1, 'ann@acme.test', 'SMTP', app_now())`,
      [workspaceId],
    )
    const ill = runCommandProcess('doctor', [], { DATABASE_URL: url })
    expect(await ill.ended).toBe(1)
    expect(ill.output()).toMatch(/mailboxes-have-settings: 1 mailboxes are in workspaces without sending settings/)
    expect(ill.output()).toContain(workspaceId)
    const empty = runCommandProcess('doctor', [], { DATABASE_URL: inject('testServerUrl') })
    expect(await empty.ended).toBe(1)
    expect(empty.output()).toMatch(/migrations are not applied: run npm run migrate -- apply/)
    const wrong = runCommandProcess('doctor', ['--lift'], { DATABASE_URL: url })
    expect(await wrong.ended).toBe(1)
    expect(wrong.output()).toMatch(/npm run doctor/)
  } finally {
    await pool.end()
    await cluster.stop()
  }
})
