import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Fault, Rule } from '#fake-google/script.ts'
import { scopesFor } from '#lib/mail/gmail/scopes.ts'
import { isFull, scale } from '#tests/support/faults/faults-report.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { type GmailPlace, makeGmailSending } from '#tests/support/gmail/gmail-place.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const fake = testGoogle()
/** How many emails of each mailbox meet the broken answer, and as often it breaks. */
const EACH = scale({ short: 1, full: 6 })
const REST_MS_MAX = scale({ short: 400_000, full: 1_500_000 })

const LOST = {
  'reset before': { ending: 'reset' },
  'reset after': { ending: 'reset', acts: true },
  'hang before': { ending: 'hang' },
  'hang after': { ending: 'hang', acts: true },
  'cut short after': { ending: 'truncate', acts: true },
  'never ends': { ending: 'trickle', acts: true },
  '500 before': { answer: { status: 500 } },
  '503 after': { answer: { status: 503 }, acts: true },
  'an empty 200': { answer: { status: 200, body: '{}' } },
} as const satisfies Record<string, Fault>
const PUT_OFF = {
  401: { answer: { status: 401, reason: 'authError' } },
  '403 rateLimitExceeded': { answer: { status: 403, reason: 'rateLimitExceeded' } },
  '403 dailyLimitExceeded': { answer: { status: 403, reason: 'dailyLimitExceeded' } },
  '429 with a time': { answer: { status: 429, reason: 'rateLimitExceeded', retryAfter: '120' } },
} as const satisfies Record<string, Fault>
const REFUSED = {
  '400 of the recipient': { answer: { status: 400, reason: 'invalidArgument', message: 'Invalid To header' } },
  413: { answer: { status: 413, reason: 'uploadTooLarge' } },
} as const satisfies Record<string, Fault>

const WAITING: ReadonlySet<string> = new Set(['hang', 'trickle'])

type Case = { op: Rule['op']; ending: string; fault: Fault }

const ofKind = (op: Rule['op'], kind: Record<string, Fault>): Case[] =>
  Object.entries(kind).map(([ending, fault]) => ({ op, ending, fault }))
const DRAFTED: Case[] = (['drafts.create', 'drafts.send', 'messages.get'] as const)
  .flatMap((op) => [...ofKind(op, LOST), ...ofKind(op, PUT_OFF), ...ofKind(op, REFUSED)])
  // Making a draft is given up after 15 s: that is left to the full form.
  .filter(
    ({ op, fault }) => isFull || op !== 'drafts.create' || !('ending' in fault && WAITING.has(fault.ending ?? '')),
  )
const DIRECT: Case[] = [
  ...ofKind('messages.send', LOST),
  ...ofKind('messages.send', PUT_OFF),
  ...ofKind('messages.send', REFUSED),
]

/** What may become of emails that met it, and in the end only that. */
function expected({ op, ending }: Case): string[] {
  if (op === 'messages.get') return ['SENT']
  if (ending in PUT_OFF) return ['SENT']
  if (ending in REFUSED) return ['PERMANENTLY_FAILED']
  // Nothing tells what became of a message that went directly: it is found nowhere without permission to look.
  if (op === 'messages.send') return ['OUTCOME_UNKNOWN']
  return ['SENT']
}

test('whatever Gmail answers, nothing is sent twice, and with drafts nothing is left unknown', async () => {
  const drafted = await makeGmailSending(db.pool, fake, {
    prospects: EACH * DRAFTED.length,
    mailboxes: DRAFTED.length,
  })
  const direct = await makeGmailSending(db.pool, fake, {
    prospects: EACH * DIRECT.length,
    mailboxes: DIRECT.length,
    scopes: scopesFor('send'),
  })
  const rules = [...rulesFor(DRAFTED, drafted), ...rulesFor(DIRECT, direct)]
  await fake.play({ rules })
  const campaigns = [drafted.campaignId, direct.campaignId]
  // The lease outlives the times that are travelled over by more than a submit may take.
  const settings = { connections: 20, leaseSeconds: 20, submitSeconds: 3, googleUrl: fake.url }
  await withWorkers(db.url, [settings], () => untilOver(campaigns))

  const findings = await verdict(db.pool, 'what Gmail answers', campaigns, fake.ledger(), {
    cases: DRAFTED.length + DIRECT.length,
    draftsLeft: fake.drafts(),
  })
  expect(findings.emails).toBe(EACH * (DRAFTED.length + DIRECT.length))
  expect([...(await wrongAt(DRAFTED, drafted)), ...(await wrongAt(DIRECT, direct))]).toEqual([])
  expect(findings.unknown).toBe(EACH * Object.keys(LOST).length)
})

function rulesFor(cases: readonly Case[], { addresses }: GmailPlace): Rule[] {
  return cases.map(({ op, fault }, index) => ({ op, ...fault, email: addresses[index] ?? '', times: EACH }))
}

async function untilOver(campaigns: readonly string[]): Promise<void> {
  const started = performance.now()
  let quiet = 0
  while (quiet < 3) {
    const states = await countStates(db.pool, ...campaigns)
    const { SCHEDULED = 0, RETRY_SCHEDULED = 0, SENDING = 0, MARKED = 0 } = states
    const { rowCount } = await db.pool.query(
      `SELECT FROM provider_drafts d JOIN scheduled_emails e ON e.id = d.email_id
       WHERE e.status = 'OUTCOME_UNKNOWN' AND d.look_at IS NOT NULL LIMIT 1`,
    )
    const isOver = SCHEDULED + RETRY_SCHEDULED + SENDING + MARKED === 0 && rowCount === 0
    quiet = isOver ? quiet + 1 : 0
    if (performance.now() - started > REST_MS_MAX) throw new Error(`it has not come to rest: ${JSON.stringify(states)}`)
    await sleep(1_000)
    // A person mends what stopped a mailbox, and the pauses of the others pass; leases end while nothing is in flight.
    await db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE status = 'STOPPED'`)
    if (SENDING + MARKED === 0) await db.travel('31 minutes')
  }
}

async function wrongAt(cases: readonly Case[], { campaignId, mailboxIds }: GmailPlace): Promise<string[]> {
  const { rows } = await db.pool.query<{ mailboxId: string; statuses: string[] }>(
    `SELECT mailbox_id AS "mailboxId", array_agg(DISTINCT status::text ORDER BY status::text) AS statuses
     FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1`,
    [campaignId],
  )
  const found = new Map(rows.map(({ mailboxId, statuses }) => [mailboxId, statuses]))
  return cases.flatMap((one, index) => {
    const statuses = found.get(mailboxIds[index] ?? '') ?? []
    return statuses.join() === expected(one).join() ? [] : [`${one.op} ${one.ending}: ${statuses.join(', ')}`]
  })
}
