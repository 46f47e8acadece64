import { z } from 'zod'
import { ENROLMENT_ACTIONS } from '#lib/campaigns/enrolment-actions.ts'
import { ENROLMENT_REASON_CODES } from '#lib/campaigns/enrolment-reasons.ts'
import { ENROLMENT_STATES } from '#lib/campaigns/ledger.ts'
import { CAMPAIGN_STATUSES } from '#lib/campaigns/life.ts'
import { CANCEL_REASONS, type CancelReason } from '#lib/email-scheduler/reasons.ts'
import { operation } from './operation.ts'
import { count, emailStatus, enrolmentLedger, idParams, idText, instant, pageFields, searchInput } from './shared.ts'

const state = z.enum(ENROLMENT_STATES)
const reasonCode = z.enum(ENROLMENT_REASON_CODES)
const cancelCode = z.enum(Object.keys(CANCEL_REASONS) as [CancelReason, ...CancelReason[]])

const enrolmentOutput = z.object({
  id: z.string(),
  prospectId: z.string(),
  prospect: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  state,
  pausedAt: z.date().nullable(),
  /** Why it is blocked or skipped. */
  reason: z.object({ code: reasonCode, sentence: z.string() }).nullable(),
  /** The last step that was sent; 0 before the first. */
  stepReached: z.number(),
  steps: z.number(),
  mailbox: z.string().nullable(),
  nextEmail: z
    .object({
      id: z.string(),
      stepNumber: z.number(),
      status: emailStatus,
      at: z.date(),
      blocker: z.string().nullable(),
    })
    .nullable(),
  /** At a branch, or in a wait of a sequence that branches: until when, if nothing happens before, and whether a pause holds the clock. */
  waits: z.object({ at: z.enum(['branch', 'wait']), until: z.date(), isHeld: z.boolean() }).nullable(),
  /** Why its last email was cancelled, where it was. */
  cancelled: z.object({ code: cancelCode, sentence: z.string() }).nullable(),
  /** Why they left a sequence that branches, in words; null while they go through it, and where there is none. */
  left: z.string().nullable(),
  /** Was taken out before anything was planned, or left between two emails of a sequence that branches: put_back takes them in again. */
  canPutBack: z.boolean(),
  enrolledAt: z.date(),
})

export const enrolments = {
  list: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/prospects',
    summary:
      'Who is in a campaign, in the order in which they came: state, why they are blocked or skipped, the step reached and the next email. The first page counts all of them.',
    access: 'member',
    params: idParams,
    query: z.object({
      ...pageFields,
      state: state.optional(),
      reason: reasonCode.optional(),
      search: searchInput,
    }),
    output: z.object({
      enrolments: z.array(enrolmentOutput),
      nextCursor: z.string().nullable(),
      searchIsCut: z.boolean(),
      counts: z
        .object({
          states: enrolmentLedger,
          reasons: z.partialRecord(reasonCode, count),
        })
        .nullable(),
    }),
  }),

  all: operation({
    method: 'GET',
    path: '/api/enrolments',
    summary:
      'Who is in any campaign of the workspace, the newest campaign first: as in the list of one campaign, and in which. The first page says how many they are by state, as the promise’s ledger counted them last. With sequenceId, those alone for whom a campaign has planned that sequence, counted now.',
    access: 'member',
    query: z.object({ ...pageFields, state: state.optional(), search: searchInput, sequenceId: idText.optional() }),
    output: z.object({
      enrolments: z.array(
        enrolmentOutput.extend({
          campaign: z.object({
            id: z.string(),
            name: z.string(),
            status: z.enum(CAMPAIGN_STATUSES),
            sequenceId: z.string(),
            archivedAt: z.date().nullable(),
          }),
        }),
      ),
      nextCursor: z.string().nullable(),
      searchIsCut: z.boolean(),
      counts: z.object({ countedAt: z.date(), states: enrolmentLedger }).nullable(),
    }),
  }),

  change: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/prospects/bulk',
    summary:
      'Pauses, resumes, removes or puts back people of this campaign, and of no other. Removing cancels what waits for them, at once or at a time; putting back is for those who were removed before they were planned, and for those who left a sequence that branches between two emails by mistake: they go on where they stood.',
    access: 'member',
    params: idParams,
    body: z
      .object({
        action: z.enum(ENROLMENT_ACTIONS),
        enrolmentIds: z
          .array(idText)
          .min(1, 'Name at least one person of the campaign.')
          .max(1_000, 'Name at most 1,000 people at a time.'),
        /** When they are to be removed; now where nothing is said. */
        at: instant.optional(),
      })
      .refine(({ action, at }) => at === undefined || action === 'remove', {
        path: ['at'],
        error: 'A time belongs to remove, and to nothing else.',
      }),
    output: z.object({ changed: count, cancelled: count }),
  }),
}
