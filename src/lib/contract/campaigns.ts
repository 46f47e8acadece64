import { z } from 'zod'
import { CAMPAIGN_STATUSES } from '#lib/campaigns/life.ts'
import { CAMPAIGN_VERB_NAMES, CAMPAIGN_VERBS } from '#lib/campaigns/verbs.ts'
import { CAMPAIGN_BLOCKS, PARKING_GUARDS } from '#lib/email-scheduler/campaign-blocks.ts'
import { LIMITS_OF_A_PLAN } from '#lib/email-scheduler/plan/plan-capacity.ts'
import { EMAIL_ORDERS, PLACE_IN_TIME, WAITING } from '#lib/email-scheduler/read/list-emails.ts'
import { operation } from './operation.ts'
import { prospectFilter } from './prospects.ts'
import {
  archivedField,
  count,
  emailLedger,
  emailStatus,
  enrolmentLedger,
  INTEGER_MAX,
  idParams,
  idText,
  instant,
  localDate,
  pageFields,
} from './shared.ts'

const campaignName = z.string().trim().min(1, 'A name is needed.').max(100, 'A name has at most 100 characters.')

const batchSizeInput = z
  .int()
  .min(1, 'A batch has at least 1 enrolment.')
  .max(10_000, 'A batch has at most 10,000 enrolments.')

const mailboxIdsInput = z.array(idText).max(1_000, 'Name at most 1,000 mailboxes.')

const campaignStatus = z.enum(CAMPAIGN_STATUSES)

const campaignFields = {
  id: z.string(),
  name: z.string(),
  sequenceId: z.string(),
  status: campaignStatus,
  scheduledAt: z.date().nullable(),
  launchedAt: z.date().nullable(),
  /** When it stops by itself. */
  endsAt: z.date().nullable(),
  /** Whether a pause stops the clock of those who wait in a sequence that branches. */
  pauseHoldsClock: z.boolean(),
  batchSize: z.number(),
  /** What new people are spread over; empty for all that are connected. */
  mailboxIds: z.array(z.string()),
  /** Whether its emails show that they were opened, and which of their links were followed. */
  tracksOpens: z.boolean(),
  tracksClicks: z.boolean(),
  version: z.number(),
  archivedAt: z.date().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  /** What may be done with it now. */
  actions: z.array(z.enum(CAMPAIGN_VERB_NAMES)),
}

const campaignOutput = z.object(campaignFields).meta({ id: 'Campaign' })

const ledgerOutput = z.object({
  enrolments: enrolmentLedger,
  emails: emailLedger,
  balances: z.boolean(),
  done: z.number(),
})

const paceFields = {
  sentLastHour: count,
  /** The hour that was counted: it ends when it was asked for. */
  lastHour: z.object({ from: z.date(), until: z.date() }),
  /** When its next email is due; in the past: as soon as its turn comes. */
  nextAt: z.date().nullable(),
  /** The local date of the last email that is planned; empty while not everybody is. */
  lastDate: z.string().nullable(),
  /** What keeps a part of it from going out. */
  blocks: z.array(z.object({ code: z.enum(CAMPAIGN_BLOCKS), count, sentence: z.string() })),
}

const schedulingOutput = z.object({
  scheduled: count,
  skipped: count,
  errors: z.array(z.string()),
  remaining: count,
})

/** The ways of saying whom to enrol; a request names one of them. */
const WAYS = ['prospectIds', 'listIds', 'filter', 'segmentId', 'all'] as const

const whom = z
  .object({
    prospectIds: z.array(idText).min(1, 'Name at least one prospect.').max(10_000, 'Name at most 10,000 at a time.'),
    listIds: z.array(idText).min(1, 'Name at least one list.').max(100, 'Name at most 100 lists.'),
    filter: z.object(prospectFilter),
    segmentId: idText,
    all: z.literal(true),
    cursor: idText,
  })
  .partial()
  .refine((body) => WAYS.filter((way) => body[way] !== undefined).length === 1, {
    error: 'Say whom to enrol in one way: prospectIds, listIds, filter, segmentId or all.',
  })

/** The month has such a day. */
const isDated = (place: string) => localDate.safeParse(place.slice(0, 10)).success

const limitedBy = z.enum(LIMITS_OF_A_PLAN)

const blocker = z.object({
  name: z.string(),
  verdict: z.enum(['wait-until', 'park', 'cancel']),
  sentence: z.string(),
  notBefore: z.date().optional(),
})

export const campaigns = {
  list: operation({
    method: 'GET',
    path: '/api/campaigns',
    summary: 'The campaigns of the workspace, newest first.',
    access: 'member',
    query: z.object({ ...pageFields, ...archivedField, status: campaignStatus.optional() }),
    output: z.object({
      campaigns: z.array(
        z.object({
          ...campaignFields,
          people: count,
          emails: z.object({ waiting: count, sent: count, failed: count, unknown: count, cancelled: count }),
          ...paceFields,
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  }),

  create: operation({
    method: 'POST',
    path: '/api/campaigns',
    summary: 'Creates a campaign as a draft.',
    access: 'member',
    body: z.object({
      name: campaignName,
      sequenceId: idText,
      batchSize: batchSizeInput.optional(),
      mailboxIds: mailboxIdsInput.optional(),
      tracksOpens: z.boolean().optional(),
      tracksClicks: z.boolean().optional(),
    }),
    makes: { at: '/api/campaigns/[id]' },
    output: campaignOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/campaigns/[id]',
    summary: 'A campaign, archived or not.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: campaignOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/campaigns/[id]',
    summary: CAMPAIGN_VERBS.edit.sentence,
    access: 'member',
    params: idParams,
    body: z.object({
      name: campaignName.optional(),
      sequenceId: idText.optional(),
      batchSize: batchSizeInput.optional(),
      mailboxIds: mailboxIdsInput.optional(),
      tracksOpens: z.boolean().optional(),
      tracksClicks: z.boolean().optional(),
      scheduledAt: instant.nullable().optional(),
      endsAt: instant.nullable().optional(),
      pauseHoldsClock: z.boolean().optional(),
    }),
    versioned: 'version',
    output: campaignOutput,
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/campaigns/[id]',
    summary: CAMPAIGN_VERBS.archive.sentence,
    access: 'member',
    params: idParams,
    output: campaignOutput,
  }),

  enrol: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/prospects',
    summary: CAMPAIGN_VERBS.enrol.sentence,
    access: 'member',
    params: idParams,
    body: whom,
    example: { listIds: ['0199b1f0-0000-7000-8000-000000000001'] },
    output: z.object({
      enrolled: count,
      blocked: count,
      covered: count,
      already: count,
      suppressed: count,
      unsubscribed: count,
      inactive: count,
      unknown: count,
      nextCursor: z.string().nullable(),
    }),
  }),

  plan: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/plan',
    summary:
      'The dry run: when every email would go, from where, and which limits bind; a page holds emails of one date.',
    access: 'member',
    params: idParams,
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}~\d{1,9}$/, 'This is not a cursor of ours.')
        .optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** As it would be with one more mailbox like the first. */
      withOneMore: z.stringbool().default(false),
    }),
    output: z.object({
      madeFor: z.date().nullable(),
      days: z.array(
        z.object({
          date: z.string(),
          emails: count,
          held: z.partialRecord(limitedBy, count),
          /** By how much the clocks are put forward on that date; less than 0: back. */
          clockMinutes: z.number(),
        }),
      ),
      lastDate: z.string().nullable(),
      emails: count,
      enrolments: count,
      skipped: count,
      blocked: count,
      /** Of a sequence that branches: how many of its emails everybody gets and are told here, and how many there are in all. */
      branching: z.object({ certain: count, steps: count }).nullable(),
      isComplete: z.boolean(),
      waitsForReplan: z.boolean(),
      impossible: z.string().nullable(),
      page: z.array(
        z.object({
          enrolmentId: z.string(),
          prospectId: z.string(),
          prospect: z.string().nullable(),
          stepNumber: z.number(),
          at: z.date(),
          localDate: z.string(),
          mailboxId: z.string(),
          mailbox: z.string(),
          limitedBy,
          limitedOn: z.string(),
        }),
      ),
      nextCursor: z.string().nullable(),
      /** What keeps it from being launched, all at once. */
      problems: z.array(z.object({ code: z.string(), sentence: z.string() })),
    }),
  }),

  launch: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/launch',
    summary: CAMPAIGN_VERBS.launch.sentence,
    access: 'member',
    params: idParams,
    /** Without a time, at the one that was set before, if any; null is now. */
    body: z.object({ scheduledAt: instant.nullable().optional() }),
    output: z.object({ campaign: campaignOutput, scheduling: schedulingOutput.nullable() }),
  }),

  pause: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/pause',
    summary: CAMPAIGN_VERBS.pause.sentence,
    access: 'member',
    params: idParams,
    output: campaignOutput,
  }),

  resume: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/resume',
    summary: CAMPAIGN_VERBS.resume.sentence,
    access: 'member',
    params: idParams,
    output: campaignOutput,
  }),

  stop: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/stop',
    summary: CAMPAIGN_VERBS.stop.sentence,
    access: 'member',
    params: idParams,
    output: z.object({ campaign: campaignOutput, cancelled: count, isCleared: z.boolean() }),
  }),

  duplicate: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/duplicate',
    summary: CAMPAIGN_VERBS.duplicate.sentence,
    access: 'member',
    params: idParams,
    makes: { at: '/api/campaigns/[id]' },
    output: campaignOutput,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/restore',
    summary: CAMPAIGN_VERBS.restore.sentence,
    access: 'member',
    params: idParams,
    output: campaignOutput,
  }),

  scheduling: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/schedule',
    summary: 'How far the planning of a campaign has come.',
    access: 'member',
    params: idParams,
    output: z.object({
      status: campaignStatus,
      scheduled: count,
      remaining: count,
      blocked: count,
      skipped: count,
    }),
  }),

  schedule: operation({
    method: 'POST',
    path: '/api/campaigns/[id]/schedule',
    summary: CAMPAIGN_VERBS.schedule.sentence,
    access: 'member',
    params: idParams,
    output: schedulingOutput,
  }),

  emails: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/scheduled-emails',
    summary:
      'The emails of a campaign, in the order in which they were planned, or in that of their times: when each was sent, is tried again, or was to go.',
    access: 'member',
    params: idParams,
    query: z
      .object({
        ...pageFields,
        /** WAITING stands for all that are on their way. */
        status: z.union([emailStatus, z.literal(WAITING)]).optional(),
        blocker: z.enum(PARKING_GUARDS).optional(),
        date: localDate.optional(),
        from: localDate.optional(),
        /** From a date on the soonest come first. */
        order: z.enum(EMAIL_ORDERS).optional(),
        /** In the order of times it holds the place where the page before ended. */
        cursor: z.union([idText, z.string().regex(PLACE_IN_TIME).refine(isDated)]).optional(),
      })
      .refine(({ blocker, date }) => !(blocker && date), 'Name a blocker or a date, not both.')
      .refine(
        ({ blocker, date, from }) => !(from && (blocker || date)),
        'From a date on, all are listed: name no other.',
      )
      .refine(
        ({ from, order }) => !from || (order ?? 'soonest') === 'soonest',
        'From a date on, the soonest come first.',
      )
      .refine(
        ({ blocker, order }) => !blocker || (order ?? 'planned') === 'planned',
        'What a guard has parked has no time: it comes as it was planned.',
      )
      .refine(
        ({ from, order, cursor }) =>
          !cursor || PLACE_IN_TIME.test(cursor) === (from !== undefined || (order ?? 'planned') !== 'planned'),
        'The cursor is of a list in another order.',
      ),
    output: z.object({
      emails: z.array(
        z.object({
          id: z.string(),
          enrolmentId: z.string(),
          prospectId: z.string(),
          prospect: z.string().nullable(),
          stepNumber: z.number(),
          mailbox: z.string(),
          status: emailStatus,
          scheduledFor: z.date(),
          sentAt: z.date().nullable(),
          cancelledAt: z.date().nullable(),
          nextRetryAt: z.date().nullable(),
          attempts: z.number(),
          lastError: z.string().nullable(),
          cancelReason: z.string().nullable(),
          parkedBy: z.string().nullable(),
          chosenAt: z.date().nullable(),
          limitedBy: limitedBy.nullable(),
          limitedOn: z.string().nullable(),
          localDate: z.string(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  }),

  progress: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/progress',
    summary:
      'The two ledgers of a campaign, whether they balance, how fast it goes, and what keeps a part of it from going out.',
    access: 'member',
    params: idParams,
    output: z.object({
      ...{ status: campaignStatus, ledger: ledgerOutput, ...paceFields },
      /** Where the sequence branches: by when the next person at a branch goes one way or the other. */
      nextBranchAt: z.date().nullable(),
    }),
  }),

  calendar: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/calendar',
    summary:
      'A month of a campaign: what was sent and what is planned on each date, which dates are full or closed, and on which the clocks change.',
    access: 'member',
    params: idParams,
    query: z.object({
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'A month is written like 2026-12.')
        .optional(),
    }),
    output: z.object({
      today: z.string(),
      firstDate: z.string().nullable(),
      lastDate: z.string().nullable(),
      days: z.array(
        z.object({
          date: z.string(),
          sent: count,
          waiting: count,
          failed: count,
          unknown: count,
          isFull: z.boolean(),
          isClosed: z.boolean(),
          clockMinutes: z.number(),
        }),
      ),
    }),
  }),

  activity: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/activity',
    summary:
      'Who did what with a campaign, newest first; and with the first page what the worker did on each of the last days.',
    access: 'member',
    params: idParams,
    query: z.object({ before: z.coerce.number().int().min(1).max(INTEGER_MAX).optional(), limit: pageFields.limit }),
    output: z.object({
      acts: z.array(
        z.object({
          id: z.number(),
          at: z.date(),
          actorEmail: z.string(),
          action: z.string(),
          details: z.record(z.string(), z.unknown()),
        }),
      ),
      nextBefore: z.number().nullable(),
      days: z.array(z.object({ date: z.string(), sent: count, failed: count, unknown: count })),
    }),
  }),

  diagnose: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/diagnose',
    summary:
      'Why nothing has gone out: what is wrong with the campaign, and for one email (emailId), or the first few that wait, every blocker and the first time at which it could go.',
    access: 'member',
    params: idParams,
    query: z.object({
      emailId: idText.optional(),
      limit: z.coerce.number().int().min(1).max(20).default(5),
    }),
    output: z.object({
      status: campaignStatus,
      scheduledAt: z.date().nullable(),
      findings: z.array(z.object({ code: z.string(), sentence: z.string() })),
      emails: z.array(
        z.object({
          id: z.string(),
          prospectId: z.string(),
          prospect: z.string().nullable(),
          stepNumber: z.number(),
          parkedBy: z.string().nullable(),
          waitsForReplan: z.boolean(),
          why: z.discriminatedUnion('kind', [
            z.object({
              kind: z.literal('waiting'),
              plannedFor: z.date(),
              retryAt: z.date().nullable(),
              blockers: z.array(blocker),
              firstFeasible: z.date().nullable(),
              reason: z.string().optional(),
            }),
            z.object({ kind: z.literal('not-waiting'), status: emailStatus }),
            z.object({ kind: z.literal('not-found') }),
          ]),
        }),
      ),
    }),
  }),
}
