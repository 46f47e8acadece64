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
const QUEUE = 'src/lib/email-scheduler/send'
const integration = (file: string, name: string): Mutant['test'] => ({
  project: 'integration',
  file: `src/__tests__/integration/${file}.test.ts`,
  name,
})
const unit = (file: string, name: string): Mutant['test'] => ({
  project: 'unit',
  file: `src/__tests__/unit/${file}.test.ts`,
  name,
})
const FINAL_CHECK = 'worker/final-check'
const LEFT_BEHIND = 'behind a pooler in transaction mode everything works, and nothing is left behind in a session'
const DOMAIN_TROUBLE = 'worker/domain-trouble'
const PUT_BACK = 'worker/put-back'
const RESTORED = 'worker/restored-dump'
const LIVES_THROUGH =
  'a worker that lives through a snapshot put back under it stops in the middle of its tick, and says so at the next'
const SEND_DUE = 'worker/send-due'
const FORGOTTEN = 'worker/forgotten'
const SETTLING = 'worker/settling'
const ADDRESSES = 'worker/addresses'
const EVIDENCE = 'worker/evidence'
const VERBS = 'email-scheduler/verbs'
const ONE_IN_FLIGHT = 'where pauses are set, a mailbox has one email in flight, also before its mark'
const REFUSES = 'after the claim: the final check refuses the mark'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a dump restored on the same server is taken for the database seen last',
    file: MIGRATION,
    find: '',
    becomes: `CREATE OR REPLACE FUNCTION database_oids() RETURNS text LANGUAGE sql STABLE AS $$ SELECT '1/1' $$;\n`,
    test: integration(
      RESTORED,
      'a dump that is restored in place, with --clean, sends nothing again, and plain doctor says so before the first tick',
    ),
  },
  {
    name: 'a worker forgets its ticks',
    file: `${QUEUE}/moment.ts`,
    find: 'tick: Math.max(one.tick, other.tick)',
    becomes: 'tick: Math.max(0 * one.tick, 0 * other.tick)',
    test: integration(RESTORED, LIVES_THROUGH),
  },
  {
    name: 'a worker forgets how far the log was when it marked',
    file: `${QUEUE}/moment.ts`,
    find: 'position: Math.max(one.position, other.position)',
    becomes: 'position: Math.max(0 * one.position, 0 * other.position)',
    test: integration(
      PUT_BACK,
      'under a worker that lives within one tick: nothing goes out again, and the claim itself says so for all others',
    ),
  },
  {
    name: 'the mark does not ask whether the database has gone back',
    file: `${QUEUE}/guard-facts.ts`,
    find: 'sending_is_held($2, $3, $4)',
    becomes: 'sending_is_held($2 * 0, $3 * 0, $4 * 0)',
    test: integration(PUT_BACK, 'under a worker that lives between claim and mark: the mark refuses'),
  },
  {
    name: 'a worker that starts does not read how far the database was',
    file: 'src/lib/worker/witness.ts',
    find: '    if (kept) rememberMoment(this.#pool, kept, kept.tick)\n',
    becomes: '',
    test: integration(
      PUT_BACK,
      'while no worker lives the next one on this machine holds sending, and so does the doctor before it',
    ),
  },
  {
    name: 'the claim does not ask whether the database has gone back',
    file: `${QUEUE}/claim.ts`,
    find: 'WHERE NOT (SELECT sending_is_held($3, $4, $5))',
    becomes: 'WHERE NOT (SELECT sending_is_held($3 * 0, $4 * 0, $5 * 0))',
    test: integration(RESTORED, LIVES_THROUGH),
  },
  {
    name: 'what sending depends on does not ask for durable commits',
    file: MIGRATION,
    find: '',
    becomes:
      'CREATE OR REPLACE FUNCTION commit_durably() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;\n',
    test: integration(
      'worker/durability',
      'on a server that answers commits before they are on disk, a crash takes back no claim, mark, settlement or unsubscribe',
    ),
  },
  {
    name: 'statements have names behind a pooler',
    file: 'src/lib/platform/connections/pooler.ts',
    find: 'way.areNamesKept && !pooled.has(client) ? statement : withoutName(statement)',
    becomes: 'way.areNamesKept ? statement : withoutName(statement)',
    test: integration('platform/transaction-pooler', LEFT_BEHIND),
  },
  {
    name: 'a pooler is not found out',
    file: 'src/lib/platform/connections/pooler.ts',
    find: 'coalesce(pg_backend_pid() = $1::int8, false)',
    becomes: 'coalesce(pg_backend_pid() = $1::int8, false) OR true',
    test: integration('platform/transaction-pooler', LEFT_BEHIND),
  },
  {
    name: 'a connection that goes silent is never given up',
    file: 'src/lib/platform/connections/silence.ts',
    find: '  stream.setTimeout(silenceMsMax)\n',
    becomes: '',
    test: integration(
      'platform/silence',
      'a connection that goes silent is given up, in and outside a transaction, and another takes its place',
    ),
  },
  {
    name: 'a hold answers before the marks that had asked earlier are over',
    file: `${QUEUE}/hold.ts`,
    find: `  await inTransaction(pool, (tx) => tx.query('LOCK TABLE sending_settings IN EXCLUSIVE MODE'))\n`,
    becomes: '',
    test: integration(
      FINAL_CHECK,
      'once a hold has answered, nothing is marked any more: it waits for the marks that had asked before',
    ),
  },
  {
    name: 'the unique key is not unique',
    file: MIGRATION,
    find: '',
    becomes: 'DROP INDEX "scheduled_emails_idempotency_key_key";\n',
    test: integration(FINAL_CHECK, 'Postgres itself refuses a second email with the same key'),
  },
  {
    name: 'the mark does not ask whose lease it is',
    file: `${QUEUE}/mark.ts`,
    find: `AND e.lease_token = held.lease_token
       AND e.leased_by = held.worker AND e.leased_at = held.claimed_at
       AND e.marked_token`,
    becomes: 'AND e.marked_token',
    test: integration(FINAL_CHECK, 'a holder whose lease has passed to another marks nothing'),
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
    file: 'src/lib/delivery/deliver.ts',
    find: `  const look = await checkAndMark(delivery.pool, mailbox.id, mailbox.workspaceId, ready, delivery.submitMsMax)`,
    becomes: `  const now = new Date()
  const passed = ready.map((one) => ({ ...one, markedAt: now, leaseUntil: now, receipt: {} as Record<string, string> }))
  type Look = Awaited<ReturnType<typeof checkAndMark>>
  const look: Look = { marked: passed, released: [], lost: [] }`,
    test: integration(
      SEND_DUE,
      'what is due goes out once, and the row, its attempt, its frozen copy and the quota say so',
    ),
  },
  {
    name: 'the final check does not see a paused campaign',
    file: `${QUEUE}/guard-facts.ts`,
    find: `campaign: { status: email.campaignStatus ?? 'RUNNING' },`,
    becomes: `campaign: { status: 'RUNNING' },`,
    test: integration(FINAL_CHECK, `the campaign was paused ${REFUSES}`),
  },
  {
    name: 'the final check does not see who unsubscribed',
    file: `${QUEUE}/guard-facts.ts`,
    find: 'prospect: email,',
    becomes: 'prospect: { ...email, hasUnsubscribed: false },',
    test: integration(FINAL_CHECK, `the reader unsubscribed ${REFUSES}`),
  },
  {
    name: 'the final check does not see the suppression list',
    file: `${QUEUE}/guard-facts.ts`,
    find: `isAddressSuppressed: suppressedBy === 'ADDRESS',`,
    becomes: 'isAddressSuppressed: false,',
    test: integration(FINAL_CHECK, `the address was suppressed ${REFUSES}`),
  },
  {
    name: 'the final check does not hold the campaigns',
    file: `${QUEUE}/final-check.ts`,
    find: 'FROM campaigns WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE',
    becomes: 'FROM campaigns WHERE id = ANY($1::uuid[]) ORDER BY id',
    and: [
      {
        file: `${QUEUE}/final-check.ts`,
        find: `      takeFairLock(tx, 'to share', [workspaceId, mailboxId, ...owners]),\n`,
        becomes: `      owners.length < 0 ? takeFairLock(tx, 'to share', [workspaceId, mailboxId, ...owners]) : undefined,\n`,
      },
    ],
    test: integration(
      FINAL_CHECK,
      'while the campaign was paused and the answer is still to come, the final check waits for it',
    ),
  },
  {
    name: 'the final check does not hold the prospects',
    file: `${QUEUE}/final-check.ts`,
    find: 'FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE',
    becomes: 'FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id',
    test: integration(
      FINAL_CHECK,
      'while the reader unsubscribed and the answer is still to come, the final check waits for it',
    ),
  },
  {
    name: 'the final check does not see a recipient who was changed',
    file: `${QUEUE}/final-check.ts`,
    find: 'origin.from.prospect !== facts.prospectVersion',
    becomes: `origin.from.prospect === ''`,
    test: integration(
      FINAL_CHECK,
      'an email that was written before a change of prospects is not handed over, also where both fall into one millisecond',
    ),
  },
  {
    name: 'an email is parked although its field has just been filled in',
    file: `${QUEUE}/park-incomplete.ts`,
    find: 'WHERE p.xmin::text <> seen.prospect OR s.xmin::text <> seen.sequence',
    becomes: 'WHERE false AND (p.xmin::text <> seen.prospect OR s.xmin::text <> seen.sequence)',
    test: integration(
      FINAL_CHECK,
      'an email that lacks a field goes back as it was when the cure, of prospects, was under way at the claim and answered after it',
    ),
  },
  {
    name: 'the final check does not see a text that was edited',
    file: `${QUEUE}/final-check.ts`,
    find: 'origin.from.sequence !== facts.sequenceVersion',
    becomes: `origin.from.sequence === ''`,
    test: integration(
      FINAL_CHECK,
      'an email that was written before a change of sequences is not handed over, also where both fall into one millisecond',
    ),
  },
  {
    name: 'the final check does not see that the sender is described anew',
    file: `${QUEUE}/final-check.ts`,
    find: 'origin.from.sender !== senderVersion',
    becomes: `origin.from.sender === '' && senderVersion === ''`,
    test: integration(
      FINAL_CHECK,
      'what an email says of its sender is what stands there at the mark the postal address was changed after it was written: it is written anew',
    ),
  },
  {
    name: 'the final check does not see that the address is another',
    file: `${QUEUE}/final-check.ts`,
    find: 'content.to.address !== facts.email',
    becomes: `content.to.address === ''`,
    test: integration(
      ADDRESSES,
      'a frozen copy that may have arrived is not handed over where the address was changed after the person chose to send again',
    ),
  },
  {
    name: 'a retry goes to an address that is no longer the recipient’s',
    file: 'src/lib/delivery/prepare.ts',
    find: 'copy && (copy.mayHaveArrived || copy.isToCurrentAddress) ? copy : undefined',
    becomes: 'copy',
    and: [
      {
        file: `${QUEUE}/final-check.ts`,
        find: 'content.to.address !== facts.email',
        becomes: `content.to.address === ''`,
      },
    ],
    test: integration(
      ADDRESSES,
      'a frozen copy does not go to an address that was corrected and suppressed since: the retry is rendered anew',
    ),
  },
  {
    name: 'a bounce is the person’s, wherever the message went',
    file: 'src/lib/audience/suppression/bounced.ts',
    find: 'coalesce(f.email_hash, p.email_hash) AS hash, f.email_hash IS NULL AS "isTheirs"',
    becomes: 'p.email_hash AS hash, true AS "isTheirs"',
    test: integration(
      ADDRESSES,
      'a bounce suppresses the address that bounced, and not the one that the person has got while it was under way',
    ),
  },
  {
    name: 'an address that is left is free again',
    file: MIGRATION,
    find: '',
    becomes: 'DROP TRIGGER "prospects_former_address" ON "prospects";\n',
    test: integration(
      ADDRESSES,
      'an address that a person had before is refused to everybody else, and finds the person',
    ),
  },
  {
    name: 'the database gives a former address to another person',
    file: MIGRATION,
    find: '',
    becomes: 'DROP TRIGGER "prospects_added_address" ON "prospects";\n',
    test: integration(
      ADDRESSES,
      'an address that a person had before is not taken by a person who adds it while it is being left',
    ),
  },
  {
    name: 'the final check does not see what a merged prospect had',
    file: `${QUEUE}/guard-facts.ts`,
    find: 'hadStepBefore: email.hadStepBefore,',
    becomes: 'hadStepBefore: false,',
    test: integration(
      ADDRESSES,
      'who had a step as another prospect that was merged into them gets nothing where the merge came after the plan: the mark refuses it',
    ),
  },
  {
    name: 'marks overtake a person who pauses',
    file: `${QUEUE}/final-check.ts`,
    find: `      takeFairLock(tx, 'to share', [workspaceId, mailboxId, ...owners]),\n`,
    becomes: `      owners.length < 0 ? takeFairLock(tx, 'to share', [workspaceId, mailboxId, ...owners]) : undefined,\n`,
    test: integration(FINAL_CHECK, 'a pause that waits for one mark is not overtaken by the next'),
  },
  {
    name: 'a deadlock is not run again',
    file: 'src/lib/platform/database.ts',
    find: 'return againOnDeadlock(() => once(pool, work))',
    becomes: 'return Math.random() < 0 ? againOnDeadlock(() => once(pool, work)) : once(pool, work)',
    test: integration('deadlock', 'two transactions that wait for each other both come to their end'),
  },
  {
    name: 'a dismissed unknown leaves the rolling 24 hours',
    file: `${QUEUE}/quota-use.ts`,
    find: `cancel_reason = '\${'DISMISSED' satisfies CancelReason}'`,
    becomes: `cancel_reason = '\${'SUPPRESSED' satisfies CancelReason}'`,
    test: integration(SEND_DUE, 'quotas an unknown email that was dismissed stays in the rolling 24 hours'),
  },
  {
    name: 'who finishes enrolments looks before it locks',
    file: 'src/lib/campaigns/finish.ts',
    find: "  await tx.query('SELECT FROM campaign_prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [ids])\n",
    becomes: '',
    test: integration(
      'campaigns/restored',
      'an email that is restored while its enrolment is being finished keeps it active',
    ),
  },
  {
    name: 'the workspace’s quota has no condition',
    file: `${QUEUE}/reservation.ts`,
    find: 'DO UPDATE SET reserved = d.reserved + $4 WHERE d.reserved + $4 <= $5',
    becomes: 'DO UPDATE SET reserved = d.reserved + $4 WHERE $5::int IS NOT NULL',
    test: integration(FINAL_CHECK, 'a place beyond either limit is not given, whatever the caller has counted before'),
  },
  {
    name: 'the mailbox’s limit has no condition',
    file: `${QUEUE}/reservation.ts`,
    find: 'DO UPDATE SET reserved = d.reserved + $4 WHERE d.reserved + $4 <= $6',
    becomes: 'DO UPDATE SET reserved = d.reserved + $4 WHERE $6::int IS NOT NULL',
    test: integration(FINAL_CHECK, 'a place beyond either limit is not given, whatever the caller has counted before'),
  },
  {
    name: 'settling does not ask whose lease it is',
    file: `${QUEUE}/settle.ts`,
    find: `AND e.lease_token = s.lease_token
         AND e.leased_by = s.worker AND e.leased_at = s.started_at
         AND (e.marked_token`,
    becomes: 'AND (e.marked_token',
    test: integration(FINAL_CHECK, 'an answer to a lease that has passed to another does not end the other’s attempt'),
  },
  {
    name: 'settling does not ask whose token it is',
    file: `${QUEUE}/settle.ts`,
    find: '         AND e.leased_by = s.worker AND e.leased_at = s.started_at\n',
    becomes: '',
    test: integration(FORGOTTEN, 'where the new worker has marked it as well, both attempts are in the history'),
  },
  {
    name: 'the mark does not ask whose token it is',
    file: `${QUEUE}/mark.ts`,
    find: '       AND e.leased_by = held.worker AND e.leased_at = held.claimed_at\n',
    becomes: '       AND held.worker IS NOT NULL AND held.claimed_at IS NOT NULL\n',
    test: integration(
      FORGOTTEN,
      'an old worker’s token 1 is not the new worker’s: it marks, settles and releases nothing of theirs',
    ),
  },
  {
    name: 'late evidence does not ask whose token it is',
    file: `${QUEUE}/late-evidence.ts`,
    find: 'AND a.worker = s.worker AND a.started_at = s.started_at\n       AND a.outcome',
    becomes: 'AND s.worker IS NOT NULL AND s.started_at IS NOT NULL\n       AND a.outcome',
    test: integration(
      FORGOTTEN,
      'a refusal of an old worker’s token 1 proves nothing about the new worker’s, whose outcome is unknown',
    ),
  },
  {
    name: 'acceptances of forgotten attempts are not kept',
    file: `${QUEUE}/forgotten.ts`,
    find: `late.filter(({ outcome }) => outcome.kind === 'accepted' || outcome.kind === 'unknown')`,
    becomes: `late.slice(late.length)`,
    test: integration(
      FORGOTTEN,
      'an acceptance of a claim that the new primary never saw: the email is sent, and its follow-up waits for it',
    ),
  },
  {
    name: 'the pause counts from the mark',
    file: `${QUEUE}/settle.ts`,
    find: 'if (emailIds.length === 0) return\n  await tx.query(\n    prepared(`WITH spaced',
    becomes: 'if (emailIds.length >= 0) return\n  await tx.query(\n    prepared(`WITH spaced',
    test: integration(SETTLING, 'the pause after an email counts from the provider’s answer, however long it took'),
  },
  {
    name: 'a bounce is settled with all the others',
    file: 'src/lib/delivery/settling.ts',
    find: `if (!isRefusal(outcome)) return 'plain'`,
    becomes: `if (isRefusal(outcome) || outcome.kind) return 'plain'`,
    test: integration(SETTLING, 'a bounce that waits for the marks of its workspace holds up no other settlement'),
  },
  {
    name: 'what was marked without an answer is left to recovery',
    file: 'src/lib/delivery/deliver.ts',
    find: `    return await markAll(delivery, mailbox, ready)
  } catch (error) {`,
    becomes: `    return await markAll(delivery, mailbox, ready)
  } catch (error) {
    if (ready.length > 0) throw error`,
    test: integration(
      SETTLING,
      'a mark whose commit was not answered leaves nothing unknown: the worker knows that it handed nothing over',
    ),
  },
  {
    name: 'a draft that is gone is taken for proof that nothing was sent',
    file: 'src/lib/mail/draft-evidence.ts',
    find: `if (removed === 'removed') return DRAFT_DELETED`,
    becomes: `if (removed === 'removed' || removed === 'absent') return DRAFT_DELETED`,
    test: integration(
      EVIDENCE,
      'a draft that is gone proves nothing: the email stays unknown, is asked about with growing pauses, and then left to a person',
    ),
  },
  {
    name: 'evidence proves and does not fence',
    file: 'src/lib/mail/draft-evidence.ts',
    find: 'await drafts.remove({ mailboxId, draftId }, deadline.leftMs())',
    becomes: `(mailboxId === '' ? 'absent' : 'removed')`,
    test: integration(
      EVIDENCE,
      'an email that recovery made unknown is asked about by the tick: its draft is removed, and it goes out once',
    ),
  },
  {
    name: 'a worker whose time is over blames the server',
    file: 'src/lib/delivery/deliver.ts',
    find: '      if (open.length === 0 && beginning.leftMs() === 0) return await giveBackAll(delivery, ready, OUT_OF_TIME)\n',
    becomes: '',
    test: integration(
      'worker/mailbox-trouble',
      'a worker that is told to stop while it connects blames no server: the mailbox does not pause, and its emails go back',
    ),
  },
  {
    name: 'a worker that stood still blames the server',
    file: 'src/lib/delivery/deliver.ts',
    find: `      if (open.length === 0 && refused?.code === 'WORKER_STALLED') return await giveBackAll(delivery, ready, refused)\n`,
    becomes: '',
    test: integration(
      'worker/mailbox-trouble',
      'a worker that stood still while it connected blames no server: the mailbox does not pause, and its emails go out',
    ),
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
        find: 'const outcome = outcomes.get(keyOf(row.id, row.leaseToken))',
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
    find: 'rows.filter(({ marked }) => !marked).map(reservationOf)',
    becomes: 'rows.map(reservationOf)',
    test: integration(
      FINAL_CHECK,
      'a lost worker’s places come back for what it had not marked, and stay taken for what it had',
    ),
  },
  {
    name: 'recovery gives no place back',
    file: `${QUEUE}/recover.ts`,
    find: 'rows.filter(({ marked }) => !marked).map(reservationOf)',
    becomes: '[] as ReturnType<typeof reservationOf>[]',
    test: integration(
      FINAL_CHECK,
      'a lost worker’s places come back for what it had not marked, and stay taken for what it had',
    ),
  },
  {
    name: 'a refusal gives no place back',
    file: `${QUEUE}/settle.ts`,
    find: `    failed.map(({ row }) => reservationOf(row)),`,
    becomes: `    failed.slice(failed.length).map(({ row }) => reservationOf(row)),`,
    test: integration(SEND_DUE, 'quotas a definite refusal gives its place back, an unknown outcome keeps it'),
  },
  {
    name: 'a release gives no place back',
    file: `${QUEUE}/release.ts`,
    find: 'await returnReservations(tx, rows.map(reservationOf))',
    becomes: 'await returnReservations(tx, rows.slice(rows.length).map(reservationOf))',
    test: integration(
      SEND_DUE,
      'the final check an email to a person who was unsubscribed after it was planned is not handed over',
    ),
  },
  {
    name: 'a mailbox that keeps a pace may have two in flight',
    file: `${QUEUE}/claim.ts`,
    find: `(tx, mailbox, isSpaced(settings) || isBurned ? 1 : Math.min(room, remaining))`,
    becomes: `(tx, mailbox, Math.min(room, remaining))`,
    test: integration(FINAL_CHECK, ONE_IN_FLIGHT),
  },
  {
    name: 'a mailbox that keeps a pace is claimed from while one is in flight',
    file: `${QUEUE}/claim.ts`,
    find: `if (isSpaced(settings) && (await hasOneInFlight(tx, mailboxId))) return rest(now)`,
    becomes: `if (workspaceId === '' && (await hasOneInFlight(tx, mailboxId))) return rest(now)`,
    and: [
      {
        file: `${QUEUE}/claim.ts`,
        find: `AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.status = 'SENDING')`,
        becomes: '',
      },
    ],
    test: integration(FINAL_CHECK, ONE_IN_FLIGHT),
  },
  {
    name: 'a claim by id does not name the mailbox',
    file: `${QUEUE}/claim.ts`,
    find: 'AND mailbox_id = coalesce($5::uuid, mailbox_id)',
    becomes: 'AND $5::uuid IS NOT NULL',
    test: integration(
      'worker/claim',
      'an email that a re-plan moves to another mailbox between choosing and claiming is not claimed for the first, and no place is lost',
    ),
  },
  {
    name: 'an answer that contradicts itself counts by its first line',
    file: 'src/lib/mail/smtp/smtp-reply.ts',
    find: '  if (!isWhole) return undefined\n',
    becomes: '',
    test: integration(
      'mail/smtp-replies',
      'replies in unusual shapes a final answer that contradicts itself is neither yes nor no: 250- followed by 550',
    ),
  },
  {
    name: 'the end of a message is let go with the rest',
    file: 'src/lib/mail/smtp/smtp-connection.ts',
    find: '      await hasLeft()\n      await nextTurn()\n',
    becomes: '',
    and: [
      {
        file: 'src/lib/mail/smtp/smtp-connection.ts',
        find: 'const PIECE_BYTES = 16 * 1024',
        becomes: 'const PIECE_BYTES = 16 * 1024 * 1024',
      },
    ],
    test: integration(
      'mail/smtp-late',
      'a server that is late and says yes before it has the whole message is not believed, and its end never leaves (300 kB)',
    ),
  },
  {
    name: 'a value may stand right behind a host',
    file: 'src/lib/sequences/link-places.ts',
    find: 'if (end === undefined) return BORDER',
    becomes: `if (end === undefined) return 'path'`,
    test: unit(
      'sequences/render',
      'a value in HTML is an error with line and column where it would choose where a link leads',
    ),
  },
  {
    name: 'a value in a link keeps its slashes',
    file: 'src/lib/sequences/render.ts',
    find: 'encodeURIComponent(wellFormed(value)).replace(',
    becomes: 'encodeURI(wellFormed(value)).replace(',
    test: unit(
      'sequences/render',
      'a value in HTML stays one part of a path, one parameter, one fragment of a link that is written',
    ),
  },
  {
    name: 'HTML may be nested without end',
    file: 'src/lib/sequences/limits.ts',
    find: 'export const DEPTH_MAX = 100',
    becomes: 'export const DEPTH_MAX = 1_000_000',
    test: unit(
      'sequences/render',
      'what an author may not write more of anything than becomes an email in no time is said with its place',
    ),
  },
  {
    name: 'the mail catcher opens without its token',
    file: 'src/catcher/guard.ts',
    find: 'return [bearer ?? [], kept].flat().some((given) => isToken(given, token))',
    becomes: 'return [bearer ?? [], kept].flat().some((given) => isToken(given, token)) || true',
    test: integration('catcher/closed', 'nothing of a mail is told without it, or with another'),
  },
  {
    name: 'trouble before the sender was accepted is the email’s',
    file: 'src/lib/mail/smtp/smtp-connection.ts',
    find: `const isOfThisEmail = ending === 'stalled' || isYes(readReply(mail)?.code) || this.#hasCarried`,
    becomes: 'const isOfThisEmail = ending !== undefined || isYes(readReply(mail)?.code) || this.#hasCarried',
    test: integration(
      'mail/smtp-faults',
      `a server that breaks after the login at 'mail' with 'close' (pipelining true, taken false): 'retry mailbox ECONNRESET'`,
    ),
  },
  {
    name: 'what may have arrived goes out again under another date',
    file: 'src/lib/delivery/prepare.ts',
    find: 'return isStale && !mayHaveArrived',
    becomes: 'return isStale',
    test: integration('worker/copies', 'where an attempt may have arrived, the same bytes go out again, however late'),
  },
  {
    name: 'what a person takes as delivered loses its Message-ID',
    file: 'src/lib/email-scheduler/verbs/resolve.ts',
    find: `message_id = coalesce(message_id, \${FROZEN_MESSAGE_ID}), `,
    becomes: `message_id = CASE WHEN false THEN \${FROZEN_MESSAGE_ID} ELSE message_id END, `,
    test: integration(
      'worker/copies',
      'what a person takes as delivered keeps the Message-ID of its copy, which the follow-up answers',
    ),
  },
  {
    name: 'a worker that cannot prepare takes the queue',
    file: 'src/lib/delivery/set-aside.ts',
    find: 'if (first) await withoutMailbox(delivery, mailbox, impossible, first.outcome)',
    becomes: 'if (first) await giveBackAll(delivery, impossible, first.outcome)',
    and: [
      {
        file: 'src/lib/delivery/set-aside.ts',
        find: 'import { settleUnmarked, withoutMailbox }',
        becomes: 'import { giveBackAll, settleUnmarked, withoutMailbox }',
      },
    ],
    test: integration(
      'worker/mailbox-trouble',
      'a worker that cannot prepare gives all back, lets the mailbox rest with a fault that is shown, and writes few attempts',
    ),
  },
  {
    name: 'a server that takes few connections is asked for more again and again',
    file: 'src/lib/delivery/connections.ts',
    find: 'if (kept.inUse > 0) kept.most =',
    becomes: 'if (kept.inUse < 0) kept.most =',
    test: integration(
      'worker/beside',
      'servers one that takes two connections is used with two, without a storm of refusals, and its mailbox does not pause',
    ),
  },
  {
    name: 'a hand-over begins although the time of its process is over',
    file: 'src/lib/delivery/deliver.ts',
    find: 'if (beginning.leftMs() === 0) {',
    becomes: 'if (ready.length === 0) {',
    test: integration(
      'worker/beside',
      'a hand-over whose time passes while connecting does not begin, and the email goes back as it was',
    ),
  },
  {
    name: 'no run of hand-overs that go wrong makes a mailbox pause',
    file: `${QUEUE}/mailbox-faults.ts`,
    find: 'if (!row || row.inRow < BURNED_MAX || row.isPausing) return',
    becomes: 'if (!row || row.inRow >= 0 || row.isPausing) return',
    test: integration(
      'worker/mailbox-trouble',
      'the mailbox pauses after a few, tries one at a time, and stops before it has burned its campaign',
    ),
  },
  {
    name: 'who changes a campaign waits behind every mark',
    file: 'src/lib/campaigns/campaign.ts',
    find: `  await takeFairLock(tx, 'to change', [id])\n`,
    becomes: '  if (id === null) await takeFairLock(tx, id, [id])\n',
    test: integration('platform/fair-lock', 'while marks overlap without end, a campaign is changed in its turn'),
  },
  {
    name: 'who changes a time zone waits behind every mark',
    file: 'src/lib/tenancy/workspaces/change-workspace.ts',
    find: `  await takeFairLock(tx, 'to change', [workspaceId])\n`,
    becomes: '  if (workspaceId === null) await takeFairLock(tx, workspaceId, [workspaceId])\n',
    test: integration('platform/fair-lock', 'while marks overlap without end, the time zone is changed in its turn'),
  },
  {
    name: 'mailboxes that have hung take what a new one needs',
    file: 'src/lib/delivery/permits.ts',
    find: 'Math.max(1, this.#half - 1)',
    becomes: 'Math.max(1, this.#half)',
    test: unit(
      'delivery/fair-turn',
      'of the permits to hand over mailboxes that have hung leave one to a mailbox that was never tried, which so waits for none of them',
    ),
  },
  {
    name: 'a bounce of a transactional email suppresses nothing',
    file: `${QUEUE}/settle.ts`,
    find: 'if (hasherIn && others.length > 0)',
    becomes: 'if (hasherIn && others.length < 0)',
    test: integration(
      'worker/transactional',
      'an address that does not exist is suppressed by the bounce, and a person who has it here is bounced with it',
    ),
  },
  {
    name: 'the end of a campaign holds all its enrolments at once',
    file: 'src/lib/campaigns/finish.ts',
    find: '    await finishAllIdle(pool, id)\n',
    becomes: '    if (id === undefined) await finishAllIdle(pool, id)\n',
    test: integration(
      'campaigns/closing',
      'is finished batch by batch, while people are enrolled in it and mailed by another',
    ),
  },
  {
    name: 'no run over the mailboxes of a domain makes them pause',
    file: `${QUEUE}/domain-faults.ts`,
    find: 'if (!run?.isTripped || run.isPausing) return',
    becomes: 'if (!run?.isTripped || run.inRow >= 0) return',
    test: integration(
      DOMAIN_TROUBLE,
      'where everything is blocked all mailboxes of the domain pause before each has burned its own, one email is tried for all, and then they stop',
    ),
  },
  {
    name: 'after a pause each mailbox of a domain tries an email',
    file: `${QUEUE}/claim.ts`,
    find: 'if (mailbox.isDomainBurned && !(await mayTryForDomain(tx, mailboxId))) return rest(now)\n',
    becomes: 'await mayTryForDomain(tx, mailboxId)\n',
    test: integration(DOMAIN_TROUBLE, 'however many claim at one moment, they get one email for the whole domain'),
  },
  {
    name: 'what begins at a time waits for the sending',
    file: 'src/lib/worker/tick.ts',
    find: 'const kept = upkeep.beside(sent, found)\n',
    becomes: 'const kept = sent.then(() => upkeep.beside(sent, found))\n',
    test: integration(
      'worker/beside',
      'beside sending a tick that has nothing to send waits for the start that comes within its time',
    ),
  },
  {
    name: 'an event is settled by a worker that has lost it',
    file: 'src/lib/webhooks/settle.ts',
    find: ' AND lease_token = $3 AND',
    becomes: ' AND $3::int IS NOT NULL AND',
    test: integration('webhooks/delivering', 'a worker that wakes after its lease was lost changes nothing'),
  },
  {
    name: 'a later event of an email overtakes the earlier one',
    file: 'src/lib/webhooks/claim.ts',
    find: 'AND earlier.seq < d.seq AND',
    becomes: 'AND earlier.seq < 0 AND',
    test: integration(
      'webhooks/delivering',
      'the events of one email come in their order; a later one waits until the earlier was taken, or has failed twice',
    ),
  },
  {
    name: 'events are sent into private networks',
    file: 'src/lib/webhooks/target.ts',
    find: 'if (!addresses.every(isPublicAddress))',
    becomes: 'if (addresses.length === 0)',
    test: unit('webhooks/target', 'where events may be sent may be what the operator allows, over http as well'),
  },
  {
    name: 'an endpoint that takes nothing is asked for ever',
    file: 'src/lib/webhooks/settle.ts',
    find: 'if (rows[0]?.isAway)',
    becomes: 'if (!rows[0])',
    test: integration(
      'webhooks/delivering',
      'a receiver that fails by all of its attempts is disabled and its owners told, once; what waited stays and goes out later',
    ),
  },
  {
    name: 'an email is said to go now although others go before it',
    file: 'src/lib/email-scheduler/read/why-not-now.ts',
    find: 'places: [...before, ',
    becomes: 'places: [...before.slice(0, 0), ',
    test: integration(
      'email-scheduler/first-feasible',
      'at the time that is shown, and not before, an email is claimed that waits for its turn behind others, each with its pause',
    ),
  },
  {
    name: 'a time that a person chose is forgotten by the next plan',
    file: 'src/lib/email-scheduler/plan/chosen-times.ts',
    find: 'if (atMs === null || atMs <= this.#nowMs) return null',
    becomes: 'if (atMs === null || atMs > 0) return null',
    test: integration(
      'email-scheduler/reschedule',
      'a time that a person chose is kept by every plan when settings change: the others are planned around it, and what follows it from there',
    ),
  },
  {
    name: 'a line with a lost letter comes in',
    file: 'src/lib/audience/import/import-file.ts',
    find: `cell.includes('\\ufffd')`,
    becomes: `cell.includes('no such letter')`,
    test: integration('audience/import', 'one bad byte costs its own line, and no other name is spoilt'),
  },
  {
    name: 'a cell that is too long falls apart into lines',
    file: 'src/lib/audience/import/csv-records.ts',
    find: 'const close = await closeOf(open, quote, delimiter)',
    becomes: 'const close = quote < 0 ? await closeOf(open, quote, delimiter) : undefined',
    test: unit('audience/csv-records', 'a cell that is too long is one bad record, and its lines are nobody’s'),
  },
  {
    name: 'a subject of its own begins no thread',
    file: 'src/lib/mail/message/render-emails.ts',
    find: 'const thread = beginsThread(step) ? [] : threadOf(',
    becomes: 'const thread = threadOf(',
    test: integration(
      'mail/render-emails',
      'a follow-up with a subject of its own begins a thread, which those after it answer in',
    ),
  },
  {
    name: 'an unknown field is dropped in silence',
    file: 'src/lib/platform/http/parse.ts',
    find: '[...found, ...unknown, ',
    becomes: '[...found, ',
    test: {
      project: 'unit',
      file: 'src/__tests__/unit/platform/route.test.ts',
      name: 'the edge of the API names a field that it does not know, and the one that was probably meant',
    },
  },
  {
    name: 'a body is read before its length is looked at',
    file: 'src/lib/platform/http/read-body.ts',
    find: '  if (announced > bytesMax) throw tooLarge(bytesMax)\n',
    becomes: '',
    test: {
      project: 'unit',
      file: 'src/__tests__/unit/platform/route.test.ts',
      name: 'the edge of the API refuses what announces itself as too large before it reads any of it',
    },
  },
  {
    name: 'callers of whom nobody knows the address share one count',
    file: 'src/app/api/limit.ts',
    find: '  if (address) await limitBySubject(entry, limit, addressBlock(address))',
    becomes: "  await limitBySubject(entry, limit, address ? addressBlock(address) : 'unknown')",
    test: integration('security/rate-limit', 'where nobody says who calls, one caller locks out no other'),
  },
  {
    name: 'what a caller writes is taken for the address of its socket',
    file: 'src/lib/platform/http/front-door.ts',
    find: "  request.headers[PEER_HEADER] = request.socket.remoteAddress ?? ''",
    becomes: "  request.headers[PEER_HEADER] ??= request.socket.remoteAddress ?? ''",
    test: unit('security/front-door', 'the address of the socket is ours to say, whatever the caller writes'),
  },
]
