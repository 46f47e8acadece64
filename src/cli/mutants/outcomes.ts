import { ADDRESSES, FINAL_CHECK, integration, MIGRATION, type Mutant, QUEUE, SEND_DUE, VERBS } from './mutant.ts'

const FORGOTTEN = 'worker/forgotten'
const SETTLING = 'worker/settling'
const EVIDENCE = 'worker/evidence'

/** From the hand-over on: what became of it, and what it may never become. */
export const OUTCOMES: readonly Mutant[] = [
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
    name: 'a bounce of a transactional email suppresses nothing',
    file: `${QUEUE}/settle.ts`,
    find: 'if (hasherIn && others.length > 0)',
    becomes: 'if (hasherIn && others.length < 0)',
    test: integration(
      'worker/transactional',
      'an address that does not exist is suppressed by the bounce, and a person who has it here is bounced with it',
    ),
  },
]
