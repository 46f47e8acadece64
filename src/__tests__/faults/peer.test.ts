import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFull, scale } from '#tests/support/faults/faults-report.ts'
import { testProviders } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace, sendThrough } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import type { PeerStage, PeerStep } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
/** How many emails of each mailbox meet the broken peer, and as often it breaks. */
const EACH = scale({ short: 2, full: 6 })
const REST_MS_MAX = scale({ short: 300_000, full: 900_000 })

const OPENING: readonly PeerStage[] = ['banner', 'ehlo', 'starttls', 'auth']
const STAGES: readonly PeerStage[] = [...OPENING, 'mail', 'rcpt', 'data', 'body', 'dot']
/** In a message and after it an answer may have been on its way: the peer took what it then fell silent about, or did not. */
const LOST = {
  close: { reply: '', ending: 'close', accepts: true },
  hang: { reply: '', ending: 'hang', accepts: true },
  reset: { reply: '', ending: 'reset' },
} as const satisfies Record<string, PeerStep>
const REFUSED = {
  421: { reply: '421 4.3.2 Closing', ending: 'close' },
  451: { reply: '451 4.3.0 Not now' },
  552: { reply: '552 5.3.4 Too much' },
} as const satisfies Record<string, PeerStep>

/** Answers to the end of a message that are a yes and a no at once: it took the message, or it did not. */
const CONTRADICTING = {
  'yes, then no': { reply: '250-2.0.0 Ok\n550 5.7.1 No', accepts: true },
  'no, then yes': { reply: '550-5.7.1 No\n250 2.0.0 Ok', accepts: false },
} as const satisfies Record<string, PeerStep>

type Ending = keyof typeof LOST | `${keyof typeof REFUSED}` | keyof typeof CONTRADICTING
type Case = { stage: PeerStage; ending: Ending; step: PeerStep }

const CASES: Case[] = [
  ...STAGES.flatMap((stage) => [
    ...Object.entries(LOST).map(([ending, step]) => ({ stage, ending: ending as Ending, step })),
    ...Object.entries(REFUSED).map(([ending, step]) => ({
      stage,
      ending: ending as Ending,
      // Who refuses in the middle of a message closes; else the rest of it would be read as commands.
      step: stage === 'body' ? ({ ...step, ending: 'close' } as const) : step,
    })),
  ]),
  ...Object.entries(CONTRADICTING).map(([ending, step]) => ({
    stage: 'dot' as const,
    ending: ending as Ending,
    step,
  })),
  ...Object.entries(LOST).map(([ending, step]) => ({ stage: 'after' as const, ending: ending as Ending, step })),
  // Opening a connection is given up after 20 s: that is left to the full form.
].filter(({ stage, ending }) => isFull || !(OPENING.includes(stage) && ending === 'hang'))

const folder = mkdtempSync(join(tmpdir(), 'sendonce-ca-'))
const extraCa = join(folder, 'ca.pem')
let place: SendingPlace
const providers = testProviders(() => {
  const ca = makeCertificate({ name: 'Test CA' })
  writeFileSync(extraCa, ca.cert)
  const { cert, key } = makeCertificate({ name: 'peer', hosts: ['127.0.0.1'], signer: ca })
  return CASES.map(({ stage, step }) => ({
    script: { [stage]: Array(EACH).fill(step) },
    ...(stage === 'starttls' && { tls: { cert, key } }),
  }))
})
beforeAll(async () => {
  place = await makeSending(db.pool, providers[0]?.port ?? 0, {
    prospects: EACH * CASES.length,
    mailboxes: CASES.length,
  })
  await sendThrough(db.pool, place.mailboxIds, providers)
  const encrypted = CASES.flatMap(({ stage }, index) => (stage === 'starttls' ? [index] : []))
  const at = <T>(list: readonly T[]) => list.filter((_, index) => encrypted.includes(index))
  await sendThrough(db.pool, at(place.mailboxIds), at(providers), 'STARTTLS')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a peer that breaks at any stage in any way is sent nothing twice, and only a lost answer to a message is unknown', async () => {
  // The lease is as long as the time travelled below: what is in flight then stays so.
  const settings = { connections: 20, leaseSeconds: 3_600, submitSeconds: 4, extraCa }
  await withWorkers(db.url, [settings], async () => {
    const started = performance.now()
    for (;;) {
      const {
        SCHEDULED = 0,
        RETRY_SCHEDULED = 0,
        SENDING = 0,
        MARKED = 0,
      } = await countStates(db.pool, place.campaignId)
      if (SCHEDULED + RETRY_SCHEDULED + SENDING + MARKED === 0) break
      if (performance.now() - started > REST_MS_MAX) throw new Error('it has not come to rest')
      await sleep(1_000)
      // A person mends what stopped a mailbox, and the pauses of the others pass.
      await db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE status = 'STOPPED'`)
      if (SENDING + MARKED === 0) await db.travel('16 minutes')
    }
  })

  const ledger = providers.flatMap((provider) => provider.ledger())
  const figures = { cases: CASES.length }
  const findings = await verdict(db.pool, 'a peer that breaks', [place.campaignId], ledger, figures)
  expect(findings.emails).toBe(EACH * CASES.length)
  expect(findings.sent + findings.unknown + findings.failed).toBe(findings.emails)

  const { rows } = await db.pool.query<{ mailboxId: string; statuses: string[] }>(
    `SELECT mailbox_id AS "mailboxId", array_agg(DISTINCT status::text ORDER BY status::text) AS statuses
     FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1`,
    [place.campaignId],
  )
  const outcomes = new Map(rows.map(({ mailboxId, statuses }) => [mailboxId, statuses]))
  const wrong = CASES.flatMap((one, index) => {
    const found = outcomes.get(place.mailboxIds[index] ?? '') ?? []
    return isAsExpected(one, found) ? [] : [`${one.stage} ${one.ending}: ${found.join(', ')}`]
  })
  expect(wrong).toEqual([])
})

function isAsExpected({ stage, ending }: Case, statuses: readonly string[]): boolean {
  if (ending in CONTRADICTING) return statuses.join() === 'OUTCOME_UNKNOWN'
  const isLost = ending in LOST
  if (isLost && (stage === 'body' || stage === 'dot')) return statuses.join() === 'OUTCOME_UNKNOWN'
  if (ending !== '552')
    return statuses.join() === 'SENT' || (OPENING.includes(stage) && !isLost && neverUnknown(statuses))
  // What it refuses for good fails; while a connection is opened that is the mailbox's matter, and most emails only wait.
  return OPENING.includes(stage) ? neverUnknown(statuses) : statuses.join() === 'PERMANENTLY_FAILED'
}

function neverUnknown(statuses: readonly string[]): boolean {
  return statuses.every((status) => status === 'SENT' || status === 'PERMANENTLY_FAILED')
}
