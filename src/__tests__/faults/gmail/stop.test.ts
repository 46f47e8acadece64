import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Rule } from '#fake-google/script.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, holdSettlements, inHandsOf, until } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { countKeptDrafts, holdMarks, makeGmailSending, untilAllIsKnown } from '#tests/support/gmail/gmail-place.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const fake = testGoogle()
const ROUNDS = scale({ short: 1, full: 10 })
const LEASE_SECONDS = 12
const SUBMIT_SECONDS = 6
const EMAILS = 4
const CONNECTIONS = 2

/** A request that Google takes up only when the lease is over and the draft has been taken away. */
const LATE_MS = (LEASE_SECONDS + 12) * 1_000

const PHASES = ['draft made', 'handed over late', 'sent, not answered', 'answered, not settled'] as const
type Phase = (typeof PHASES)[number]

const RULES: Record<Phase, Rule[]> = {
  'draft made': [],
  'handed over late': [{ op: 'drafts.send', lateMs: LATE_MS, times: CONNECTIONS }],
  'sent, not answered': [{ op: 'drafts.send', acts: true, delayMs: SUBMIT_SECONDS * 500, times: CONNECTIONS }],
  'answered, not settled': [],
}

const campaigns: string[] = []
const stops: Partial<Record<Phase, number>> = {}

test.each(PHASES)(
  'a worker that is stopped with its %s, and goes on past its lease, sends nothing twice',
  async (phase) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = await makeGmailSending(db.pool, fake, { prospects: EMAILS, mailboxes: 1 })
      campaigns.push(place.campaignId)
      const settings = {
        ...{ connections: CONNECTIONS, leaseSeconds: LEASE_SECONDS, submitSeconds: SUBMIT_SECONDS },
        googleUrl: fake.url,
      }
      const sentBefore = fake.ledger().length
      await fake.play({ rules: RULES[phase] })
      const hold =
        phase === 'draft made'
          ? await holdMarks(db.pool, place)
          : phase === 'answered, not settled'
            ? await holdSettlements(db.pool)
            : async () => undefined
      const stopped = new Worker(db.url, settings)
      let other: Worker | undefined
      let isHeld = true
      try {
        await until(
          () => `the worker is met with its ${phase}:\n${stopped.log.slice(-2_000)}`,
          async () => {
            if (phase === 'draft made') return (await countKeptDrafts(db.pool, place)) > 0
            const { MARKED } = await inHandsOf(db.pool, stopped)
            const sent = fake.ledger().length - sentBefore
            return MARKED > 0 && (phase === 'handed over late' ? sent === 0 : sent > 0)
          },
        )
        stopped.signal('SIGSTOP')
        const heldDrafts = new Set(await draftsOf(stopped))
        expect(heldDrafts.size).toBeGreaterThan(0)
        stops[phase] = (stops[phase] ?? 0) + heldDrafts.size
        // What Postgres does by itself to a connection that has been silent in a transaction for a minute.
        await db.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        await hold()
        isHeld = false
        await sleep(LEASE_SECONDS * 1_000)
        other = new Worker(db.url, settings)
        await until(
          () => `the other has taken over:\n${other?.log.slice(-2_000)}`,
          async () => {
            const { SENT = 0, OUTCOME_UNKNOWN = 0, RETRY_SCHEDULED = 0 } = await countStates(db.pool, place.campaignId)
            return SENT + RETRY_SCHEDULED + OUTCOME_UNKNOWN === EMAILS && OUTCOME_UNKNOWN === 0
          },
        )
        if (phase === 'handed over late') {
          // Its drafts were taken away, and Google has not come to what it handed over.
          const journal = fake.journal()
          const deleted = journal.flatMap((one) => (one.event === 'draft-deleted' ? [one.draftId] : []))
          expect([...heldDrafts].filter((draft) => !deleted.includes(draft))).toEqual([])
        }
        stopped.signal('SIGCONT')
        await sleep(phase === 'handed over late' ? LATE_MS - LEASE_SECONDS * 1_000 : 1_000)
        await untilAllIsKnown(db, [place.campaignId])
        const sentDrafts = fake.journal().flatMap((one) => (one.event === 'sent' && one.draftId ? [one.draftId] : []))
        const ofTheStopped = sentDrafts.filter((draft) => heldDrafts.has(draft)).length
        if (phase === 'draft made' || phase === 'handed over late') expect(ofTheStopped).toBe(0)
        else expect(ofTheStopped).toBeGreaterThan(0)
        expect(await stopped.stop()).toBe(0)
        expect(await other.stop()).toBe(0)
      } finally {
        await stopped.kill()
        await other?.kill()
        if (isHeld) await hold()
      }
    }
  },
)

/** The drafts of what it holds just now. */
async function draftsOf(worker: Worker): Promise<string[]> {
  const { rows } = await db.pool.query<{ draftId: string }>(
    `SELECT d.draft_id AS "draftId" FROM provider_drafts d
     JOIN scheduled_emails e ON e.id = d.email_id AND e.lease_token = d.lease_token
     WHERE e.status = 'SENDING' AND e.leased_by LIKE $1`,
    [worker.name],
  )
  return rows.map(({ draftId }) => draftId)
}

test('over all stops: nothing twice, nothing lost, nothing left unknown', async () => {
  const findings = await verdict(db.pool, 'SIGSTOP past the lease at Gmail', campaigns, fake.ledger(), { stops })
  expect(findings).toMatchObject({ emails: campaigns.length * EMAILS, sent: campaigns.length * EMAILS, unknown: 0 })
})
