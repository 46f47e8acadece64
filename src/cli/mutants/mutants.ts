/** One guarantee taken out of the source, and the test that must notice by an assertion. */
export type Change = {
  /** Below the clone's top folder. Where it does not exist, it is made, with `becomes`. */
  file: string
  /** Stands in the file exactly once. */
  find: string
  becomes: string
}

export type Mutant = Change & {
  name: string
  /** What would hold the guarantee alone, too: a second lock on the same door. */
  and?: readonly Change[]
  test: { project: 'integration' | 'unit'; file: string; name: string }
}

const MIGRATION = 'prisma/migrations/29990101000000_mutant/migration.sql'
const QUEUE = 'src/lib/email-scheduler'
const integration = (file: string, name: string): Mutant['test'] => ({
  project: 'integration',
  file: `src/__tests__/integration/${file}.test.ts`,
  name,
})
const LAST_LOOK = 'worker/last-look'
const SEND_DUE = 'worker/send-due'
const VERBS = 'email-scheduler/verbs'
const ONE_IN_FLIGHT = 'where pauses are set, a mailbox has one email in flight, also before its mark'
const REFUSES = 'after the claim: the last look refuses the mark'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the unique key is not unique',
    file: MIGRATION,
    find: '',
    becomes: 'DROP INDEX "scheduled_emails_idempotency_key_key";\n',
    test: integration(LAST_LOOK, 'Postgres itself refuses a second email with the same key'),
  },
  {
    name: 'the mark does not ask for the token',
    file: `${QUEUE}/mark.ts`,
    find: `WHERE e.id = held.id AND e.status = 'SENDING' AND e.lease_token = held.lease_token`,
    becomes: `WHERE e.id = held.id AND e.status = 'SENDING'`,
    test: integration(LAST_LOOK, 'a holder whose lease has passed to another marks nothing'),
  },
  {
    name: 'a lease may be marked twice',
    file: `${QUEUE}/mark.ts`,
    find: 'AND e.marked_token IS DISTINCT FROM e.lease_token AND e.accepted_token IS NULL',
    becomes: 'AND e.accepted_token IS NULL',
    test: integration('email-scheduler/races', 'of eight holders of the same token, one may hand the email over'),
  },
  {
    name: 'what was accepted may be marked again',
    file: `${QUEUE}/mark.ts`,
    find: ' AND e.accepted_token IS NULL',
    becomes: '',
    and: [
      {
        file: MIGRATION,
        find: '',
        becomes: 'DROP TRIGGER "scheduled_emails_fence" ON "scheduled_emails";\n',
      },
    ],
    test: integration(VERBS, 'an acceptance that comes after a person chose to send again stops the second sending'),
  },
  {
    name: 'the mark does not ask how long the lease still lasts',
    file: `${QUEUE}/mark.ts`,
    find: `AND e.lease_until >= app_now() + $3 * interval '1 millisecond'`,
    becomes: 'AND $3::int IS NOT NULL',
    test: integration(VERBS, 'a mark needs a lease that outlives the submit'),
  },
  {
    name: 'emails are handed over without a mark',
    file: 'src/lib/worker/deliver.ts',
    find: `  const look = await againOnDeadlock(() =>
    lookAndMark(delivery.pool, mailbox.id, mailbox.workspaceId, ready, delivery.submitMsMax),
  )`,
    becomes: `  const now = new Date()
  const passed = ready.map((one) => ({ ...one, markedAt: now, leaseUntil: now, receipt: {} as Record<string, string> }))
  type Look = Awaited<ReturnType<typeof lookAndMark>>
  const look: Look = await againOnDeadlock(async () => ({ marked: passed, released: [], lost: [] }))`,
    test: integration(
      SEND_DUE,
      'what is due goes out once, and the row, its attempt, its frozen copy and the quota say so',
    ),
  },
  {
    name: 'the last look does not see a paused campaign',
    file: `${QUEUE}/guard-facts.ts`,
    find: 'campaign: { status: email.campaignStatus },',
    becomes: `campaign: { status: 'RUNNING' },`,
    test: integration(LAST_LOOK, `the campaign was paused ${REFUSES}`),
  },
  {
    name: 'the last look does not see who unsubscribed',
    file: `${QUEUE}/guard-facts.ts`,
    find: 'prospect: email,',
    becomes: 'prospect: { ...email, hasUnsubscribed: false },',
    test: integration(LAST_LOOK, `the reader unsubscribed ${REFUSES}`),
  },
  {
    name: 'the last look does not see the suppression list',
    file: `${QUEUE}/guard-facts.ts`,
    find: `isAddressSuppressed: suppressedBy === 'ADDRESS',`,
    becomes: 'isAddressSuppressed: false,',
    test: integration(LAST_LOOK, `the address was suppressed ${REFUSES}`),
  },
  {
    name: 'the last look does not hold the campaigns',
    file: `${QUEUE}/last-look.ts`,
    find: 'FROM campaigns WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE',
    becomes: 'FROM campaigns WHERE id = ANY($1::uuid[]) ORDER BY id',
    test: integration(
      LAST_LOOK,
      'while the campaign was paused and the answer is still to come, the last look waits for it',
    ),
  },
  {
    name: 'the last look does not hold the prospects',
    file: `${QUEUE}/last-look.ts`,
    find: 'FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE',
    becomes: 'FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id',
    test: integration(
      LAST_LOOK,
      'while the reader unsubscribed and the answer is still to come, the last look waits for it',
    ),
  },
  {
    name: 'the workspace’s quota has no condition',
    file: `${QUEUE}/reserve.ts`,
    find: 'DO UPDATE SET reserved = d.reserved + $4 WHERE d.reserved + $4 <= $5',
    becomes: 'DO UPDATE SET reserved = d.reserved + $4 WHERE $5::int IS NOT NULL',
    test: integration(LAST_LOOK, 'a place beyond either limit is not given, whatever the caller has counted before'),
  },
  {
    name: 'the mailbox’s limit has no condition',
    file: `${QUEUE}/reserve.ts`,
    find: 'DO UPDATE SET reserved = d.reserved + $4 WHERE d.reserved + $4 <= $6',
    becomes: 'DO UPDATE SET reserved = d.reserved + $4 WHERE $6::int IS NOT NULL',
    test: integration(LAST_LOOK, 'a place beyond either limit is not given, whatever the caller has counted before'),
  },
  {
    name: 'settling does not ask for the token',
    file: `${QUEUE}/settle.ts`,
    find: `WHERE e.id = s.id AND e.status = 'SENDING' AND e.lease_token = s.lease_token`,
    becomes: `WHERE e.id = s.id AND e.status = 'SENDING'`,
    test: integration(LAST_LOOK, 'an answer to a lease that has passed to another does not end the other’s attempt'),
  },
  {
    name: 'settling does not ask whose mark it is',
    file: `${QUEUE}/settle.ts`,
    find: '         AND (e.marked_token IS NOT DISTINCT FROM e.lease_token) = s.marked\n',
    becomes: '',
    test: integration(VERBS, 'one who never marked does not settle what another is submitting'),
  },
  {
    name: 'a late refusal speaks for a later attempt',
    file: `${QUEUE}/late-evidence.ts`,
    find: `FROM scheduled_emails e JOIN unnest($1::uuid[], $2::int[]) AS s(id, lease_token)
       ON e.id = s.id AND e.lease_token = s.lease_token
     WHERE e.status = 'OUTCOME_UNKNOWN'`,
    becomes: `FROM scheduled_emails e JOIN (SELECT u.id, f.lease_token FROM unnest($1::uuid[], $2::int[]) AS u(id, lease_token)
       JOIN scheduled_emails f ON f.id = u.id) s ON e.id = s.id
     WHERE e.status = 'OUTCOME_UNKNOWN'`,
    and: [
      {
        file: `${QUEUE}/late-evidence.ts`,
        find: 'const outcome = outcomes.get(keyOf(row.id, row.lease_token))',
        becomes: 'const outcome = [...outcomes.values()][0]',
      },
    ],
    test: integration(VERBS, 'a late refusal says nothing about the attempt after it, which is unknown as well'),
  },
  {
    name: 'late acceptances are not kept',
    file: `${QUEUE}/late-evidence.ts`,
    find: `    news.filter(({ outcome }) => outcome.kind === 'accepted'),`,
    becomes: `    news.filter(({ outcome }) => outcome.kind === 'accepted').slice(news.length),`,
    test: integration(
      VERBS,
      'a worker that is lost and comes back with an acceptance: it is sent, from the moment it was handed over',
    ),
  },
  {
    name: 'recovery puts what was marked back into the queue',
    file: `${QUEUE}/recover.ts`,
    find: 'SELECT id, lease_token, leased_by, leased_at, marked_token IS NOT DISTINCT FROM lease_token AS marked',
    becomes: 'SELECT id, lease_token, leased_by, leased_at, false AS marked',
    and: [
      {
        file: MIGRATION,
        find: '',
        becomes: 'ALTER TABLE scheduled_emails DROP CONSTRAINT "scheduled_emails_unmarked_check";\n',
      },
    ],
    test: integration(VERBS, 'a worker that is lost after the mark leaves it unknown, not queued again'),
  },
  {
    name: 'recovery gives back what may have been sent',
    file: `${QUEUE}/recover.ts`,
    find: 'rows.filter(({ marked }) => !marked).map(heldPlace)',
    becomes: 'rows.map(heldPlace)',
    test: integration(
      LAST_LOOK,
      'a lost worker’s places come back for what it had not marked, and stay taken for what it had',
    ),
  },
  {
    name: 'recovery gives no place back',
    file: `${QUEUE}/recover.ts`,
    find: 'rows.filter(({ marked }) => !marked).map(heldPlace)',
    becomes: '[] as ReturnType<typeof heldPlace>[]',
    test: integration(
      LAST_LOOK,
      'a lost worker’s places come back for what it had not marked, and stay taken for what it had',
    ),
  },
  {
    name: 'a refusal gives no place back',
    file: `${QUEUE}/settle.ts`,
    find: `    failed.map(({ row }) => heldPlace(row)),`,
    becomes: `    failed.slice(failed.length).map(({ row }) => heldPlace(row)),`,
    test: integration(SEND_DUE, 'quotas a definite refusal gives its place back, an unknown outcome keeps it'),
  },
  {
    name: 'a release gives no place back',
    file: `${QUEUE}/release.ts`,
    find: 'await giveBackPlaces(tx, rows.map(heldPlace))',
    becomes: 'await giveBackPlaces(tx, rows.slice(rows.length).map(heldPlace))',
    test: integration(
      SEND_DUE,
      'the last look an email to somebody who was unsubscribed after it was planned is not handed over',
    ),
  },
  {
    name: 'a mailbox that keeps a pace may have two in flight',
    file: `${QUEUE}/claim-next.ts`,
    find: `(tx, mailbox, isSpaced(settings) ? 1 : Math.min(limit, remaining))`,
    becomes: `(tx, mailbox, Math.min(limit, remaining))`,
    test: integration(LAST_LOOK, ONE_IN_FLIGHT),
  },
  {
    name: 'a mailbox that keeps a pace is claimed from while one is in flight',
    file: `${QUEUE}/claim-next.ts`,
    find: `if (isSpaced(settings) && (await hasOneInFlight(tx, mailboxId))) return rest(now)`,
    becomes: `if (limit < 0 && (await hasOneInFlight(tx, mailboxId))) return rest(now)`,
    and: [
      {
        file: `${QUEUE}/claim-next.ts`,
        find: `AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.status = 'SENDING')`,
        becomes: '',
      },
    ],
    test: integration(LAST_LOOK, ONE_IN_FLIGHT),
  },
]
