import { ADDRESSES, FINAL_CHECK, integration, MIGRATION, type Mutant, QUEUE, SEND_DUE, VERBS } from './mutant.ts'

const ONE_IN_FLIGHT = 'where pauses are set, a mailbox has one email in flight, also before its mark'
const REFUSES = 'after the claim: the final check refuses the mark'

/** From the claim to the mark: what may be handed over at all. */
export const CLAIMS: readonly Mutant[] = [
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
    find: `AND e.lease_until >= app_now() + $6 * interval '1 millisecond'`,
    becomes: 'AND $6::int IS NOT NULL',
    test: integration(VERBS, 'a mark needs a lease that outlives the submit'),
  },
  {
    name: 'emails are handed over without a mark',
    file: 'src/lib/delivery/deliver.ts',
    find: `    sameForAll((asks) =>
      checkAndMark(delivery.pool, mailbox.id, mailbox.workspaceId, asks.flat(), delivery.submitMsMax),
    ),`,
    becomes: `    sameForAll(async (asks): ReturnType<typeof checkAndMark> => {
      const now = new Date()
      const marked = asks.flat().map((one) => ({ ...one, markedAt: now, leaseUntil: now, receipt: {} as Record<string, string> }))
      return { marked, released: [], lost: [] }
    }),`,
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
    find: `    hold('campaigns', ({ email }) => email.campaignId),\n`,
    becomes: '',
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
    find: `    hold('prospects', ({ email }) => email.prospectId),\n`,
    becomes: '',
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
    name: 'a dismissed unknown leaves the rolling 24 hours',
    file: `${QUEUE}/quota-use.ts`,
    find: `cancel_reason = '\${'DISMISSED' satisfies CancelReason}'`,
    becomes: `cancel_reason = '\${'SUPPRESSED' satisfies CancelReason}'`,
    test: integration(SEND_DUE, 'quotas an unknown email that was dismissed stays in the rolling 24 hours'),
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
    becomes: `if (mailboxId === '' && (await hasOneInFlight(tx, mailboxId))) return rest(now)`,
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
    name: 'a transaction is of the isolation that the database has by default',
    file: 'src/lib/platform/connections/pooler.ts',
    find: "const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'",
    becomes: "const BEGIN = 'BEGIN'",
    test: integration(
      'platform/session-defaults',
      'a database behind a pooler where transactions are “repeatable read” by default, a mark that had to wait for a suppression sees it all the same',
    ),
  },
]
