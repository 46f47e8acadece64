import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Rule } from '#fake-google/script.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { holdSettlements, inHandsOf, until } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { countKeptDrafts, holdMarks, makeGmailSending, untilAllIsKnown } from '#tests/support/gmail/gmail-place.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const fake = testGoogle()
const CONNECTIONS = 4
const KILLS_OF_EACH_PHASE = scale({ short: 2, full: 20 })
const RANDOM_KILLS = scale({ short: 2, full: 80 })
const EMAILS = scale({ short: 80, full: 2_000 })

const LONG_MS = 600_000

const PHASES = [
  'draft under way',
  'draft made',
  'marked',
  'sent, not answered',
  'answered, not settled',
  'at random',
] as const
type Phase = (typeof PHASES)[number]

/** Google dawdles with the call in question, so that a worker is met in that phase and no other. */
const RULES: Record<Phase, Rule[]> = {
  'draft under way': [{ op: 'drafts.create', acts: true, delayMs: LONG_MS }],
  'draft made': [],
  marked: [{ op: 'drafts.send', acts: false, delayMs: LONG_MS }],
  'sent, not answered': [{ op: 'drafts.send', acts: true, delayMs: LONG_MS }],
  'answered, not settled': [],
  'at random': [],
}

test('a worker that sends by Gmail and is killed at any moment sends nothing twice and loses nothing, and evidence settles what is unknown', async () => {
  const place = await makeGmailSending(db.pool, fake, { prospects: EMAILS })
  const settings = { connections: CONNECTIONS, googleUrl: fake.url }
  const kills = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>
  let mostMarked = 0

  for (const phase of PHASES)
    for (let kill = 0; kill < (phase === 'at random' ? RANDOM_KILLS : KILLS_OF_EACH_PHASE); kill += 1) {
      await fake.play({ rules: RULES[phase] })
      const seen = { sent: fake.ledger().length, drafts: fake.drafts() }
      const hold =
        phase === 'draft made'
          ? await holdMarks(db.pool, place)
          : phase === 'answered, not settled'
            ? await holdSettlements(db.pool)
            : async () => undefined
      const worker = new Worker(db.url, settings)
      try {
        await meet(phase, worker, seen)
      } finally {
        await worker.kill()
        await hold()
      }
      const { MARKED } = await inHandsOf(db.pool, worker)
      mostMarked = Math.max(mostMarked, MARKED)
      kills[phase] += 1
      await db.travel('11 seconds')
    }

  await fake.play({})
  await withWorkers(db.url, [settings], () => untilAllIsKnown(db, [place.campaignId]))

  const left = fake.drafts()
  const figures = { kills, mostMarked, draftsLeft: left }
  const findings = await verdict(db.pool, 'kill -9 at Gmail', [place.campaignId], fake.ledger(), figures)
  expect(findings).toMatchObject({ emails: EMAILS, failed: 0, cancelled: 0, waiting: 0 })
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  expect(mostMarked).toBeLessThanOrEqual(CONNECTIONS)
  // A worker that is killed between the removal of a draft and the settlement of what that proves leaves its email to a
  // person. Where settlements are held up, every kill may meet one that was asking about an earlier one's emails.
  expect(findings.unknown).toBeLessThanOrEqual(kills['at random'] + kills['answered, not settled'] * CONNECTIONS)
  // Drafts whose ids were lost with the worker, before they could be kept: no mark names them, so nobody sends them.
  expect(left).toBeLessThanOrEqual((kills['draft under way'] + kills['at random']) * CONNECTIONS)

  /** Waits until the worker is where it is to be killed; the phase is read from the database and the journal, not believed. */
  async function meet(phase: Phase, worker: Worker, seen: { sent: number; drafts: number }): Promise<void> {
    const log = () => `the worker is met ${phase}:\n${worker.log.slice(-2_000)}`
    const sent = () => fake.ledger().length - seen.sent
    const marked = async () => (await inHandsOf(db.pool, worker)).MARKED
    switch (phase) {
      case 'draft under way':
        return void (await until(log, async () => fake.drafts() > seen.drafts && (await marked()) === 0))
      case 'draft made':
        return void (await until(log, async () => (await countKeptDrafts(db.pool, place)) > 0))
      case 'marked':
        return void (await until(log, async () => (await marked()) > 0 && sent() === 0))
      case 'sent, not answered':
      case 'answered, not settled':
        return void (await until(log, async () => sent() > 0 && (await marked()) > 0))
      case 'at random':
        await until(log, async () => sent() > 0 || fake.drafts() > seen.drafts)
        await sleep(Math.random() * 200)
    }
  }
})
