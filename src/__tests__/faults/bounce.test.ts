import { expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProviders } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace, sendThrough } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const ROUNDS = scale({ short: 1, full: 10 })
/** On a busy machine the others may be answered before the bounce waits: such a round is run, and not counted. */
const TRIES = ROUNDS * 5
const OTHERS = 3
const SLOW_MS = 4_000
/** The bounce may wait for as long as the others take, and for as long as it takes to see that it does. */
const SETTINGS = { connections: 2 * (OTHERS + 1), leaseSeconds: 600, submitSeconds: 60 }

const providers = testProviders(() => [
  { script: { rcpt: { reply: '550 5.1.1 No such user' } } },
  ...Array.from({ length: OTHERS }, () => ({ script: { dot: { delayMs: SLOW_MS } } })),
])

const statesOf = ({ campaignId }: SendingPlace) => countStates(db.pool, campaignId)

/** Its settlement wants the suppression list, which marks share. */
async function isBounceWaiting(): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query LIKE 'SELECT FROM sending_settings%FOR NO KEY UPDATE'`,
  )
  return rowCount === 1
}

async function setDue(mailboxId: string | undefined, when: string): Promise<void> {
  await db.pool.query('UPDATE scheduled_emails SET ready_at = app_now() + $2::interval WHERE mailbox_id = $1', [
    mailboxId,
    when,
  ])
}

test('a bounce that waits for the marks of its workspace holds up the settlement of no other email', async () => {
  const campaigns: string[] = []
  let rounds = 0
  for (let tries = 0; rounds < ROUNDS && tries < TRIES; tries += 1) {
    const place = await makeSending(db.pool, providers[0]?.port ?? 0, { prospects: OTHERS + 1, mailboxes: OTHERS + 1 })
    campaigns.push(place.campaignId)
    await sendThrough(db.pool, place.mailboxIds, providers)
    await setDue(place.mailboxIds[0], '1 hour')
    // As marks that overlap without end do.
    const marks = await heldOpen(db.pool, (tx) =>
      tx.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR SHARE', [place.workspaceId]),
    )
    try {
      await withWorkers(db.url, [SETTINGS], async () => {
        await until('the others are handed over', async () => (await statesOf(place)).MARKED === OTHERS)
        await setDue(place.mailboxIds[0], '0')
        await until('the bounce waits', isBounceWaiting)
        const { SENT = 0 } = await statesOf(place)
        await until('the others are settled', async () => (await statesOf(place)).SENT === OTHERS)
        if (SENT < OTHERS && (await isBounceWaiting())) rounds += 1
        await marks.commit()
        await untilAtRest(db.pool, [place.campaignId])
      })
    } finally {
      await marks.commit()
    }
  }

  const ledger = providers.flatMap((provider) => provider.ledger())
  const findings = await verdict(db.pool, 'bounces beside other settlements', campaigns, ledger, { rounds })
  expect(findings).toMatchObject({ failed: campaigns.length, sent: campaigns.length * OTHERS, unknown: 0 })
  expect(rounds).toBe(ROUNDS)
})
