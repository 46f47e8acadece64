import { z } from 'zod'
import { LIMITS_OF_TODAY } from '#lib/guardrails/limit-names.ts'
import { WALK_NAMES } from '#lib/operations/doctor/walks.ts'
import { ATTENTION_KINDS } from '#lib/operations/overview/attention.ts'
import { COUNTED_BY_TIME } from '#lib/operations/overview/counted.ts'
import { readCursor } from '#lib/operations/overview/rows-cursor.ts'
import { SETTLED_WAYS } from '#lib/operations/promise/settled-unknowns.ts'
import { operation } from './operation.ts'
import {
  count,
  done,
  emailLedger,
  emailStatus,
  enrolmentLedger,
  idText,
  instant,
  localDate,
  oneOfEach,
} from './shared.ts'

const part = { ok: z.boolean(), sentence: z.string() }

const stretch = { from: z.date(), until: z.date() }
const day = z.object({ ...stretch, date: z.string() })

const doubt = z.enum(['IN_BETWEEN', 'BEFORE', 'HELD', 'NOT_PLANNED'])
const named = z.object({ id: z.string(), name: z.string() })

const HELD_CURSOR =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([0-9a-f-]{36}|none)_([0-9a-f-]{36})_(IN_BETWEEN|BEFORE|HELD|NOT_PLANNED)$/

const page = {
  cursor: z
    .string()
    .transform((text, context) => {
      const cursor = readCursor(text)
      if (!cursor) context.addIssue({ code: 'custom', message: 'This is not a cursor of ours.' })
      return cursor ?? z.NEVER
    })
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
}

export const system = {
  tick: operation({
    method: 'GET',
    path: '/api/cron/send-emails',
    summary: 'One tick of the worker; called by cron with the header Authorization: Bearer $CRON_SECRET.',
    access: 'secret',
    output: z.object({
      worker: z.string(),
      startedAt: z.iso.datetime(),
      durationMs: count,
      recovered: count,
      due: count,
      sent: count,
      failed: count,
      retried: count,
      dead: count,
      unknown: count,
      released: count,
      cancelled: count,
      published: count,
      republished: count,
      unpublished: count,
      campaignsStarted: count,
      actionsDone: count,
      actionsMended: count,
      campaignsReopened: count,
      campaignsClosed: count,
      enrolmentsFreed: count,
      enrolmentsFinished: count,
      emailsScheduled: count,
      emailsAppended: count,
      emailsReplanned: count,
      emailsCancelled: count,
      emailsProven: count,
      emailsInBulks: count,
      eventsTracked: count,
      webhooksDelivered: count,
      webhooksFailed: count,
      planningErrors: z.array(z.string()),
      planningUnfinished: z.boolean(),
    }),
  }),

  health: operation({
    method: 'GET',
    path: '/api/health',
    summary:
      'Whether the database, its durability, its migrations, the time-zone data and the cron are as they should be.',
    access: 'public',
    output: z.object({
      status: z.enum(['ok', 'degraded', 'down']),
      database: z.object({ ...part, latencyMs: z.number() }),
      durability: z.object(part),
      migrations: z.object({ ...part, applied: z.number(), pending: z.number() }),
      timeZoneData: z.object({ ...part, version: z.string() }),
      lastTick: z.object({ ...part, at: z.date().nullable(), ageSeconds: z.number().nullable() }),
      sending: z.object(part),
      dispatch: z.object({ ...part, by: z.enum(['database', 'bullmq', 'rabbitmq']) }),
    }),
  }),

  openapi: operation({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This document: every operation of the API, as OpenAPI 3.1 describes them.',
    access: 'public',
    download: 'application/json',
  }),

  metrics: operation({
    method: 'GET',
    path: '/api/metrics',
    summary:
      'Gauges of queue, mailboxes and ticks in the text format of Prometheus; with Authorization: Bearer $METRICS_SECRET.',
    access: 'secret',
    download: 'text/plain',
  }),

  dashboard: operation({
    method: 'GET',
    path: '/api/admin/dashboard',
    summary:
      'How many emails wait, failed or are unknown; what today has used; which mailboxes stand; whether ticks come.',
    access: 'member',
    output: z.object({
      pendingEmailCount: count,
      failedEmailCount: count,
      unknownEmailCount: count,
      today: z.object({ date: z.string(), sent: count, reserved: count, quota: count }).nullable(),
      mailboxes: z.array(z.object({ id: z.string(), address: z.string(), status: z.string(), sentence: z.string() })),
      lastTick: z.object({
        ok: z.boolean(),
        sentence: z.string(),
        at: z.date().nullable(),
        ageSeconds: z.number().nullable(),
      }),
      hold: z.object({ isHeld: z.boolean(), since: z.date().nullable(), sentence: z.string() }),
    }),
  }),

  overview: operation({
    method: 'GET',
    path: '/api/overview',
    summary:
      'Is everything going out as it should, and what needs a person: today and tomorrow by the hour, the last 30 days, the limit that wins, the next email, and what to do.',
    access: 'member',
    output: z.object({
      now: z.date(),
      today: day,
      tomorrow: day,
      hours: z.array(z.object({ ...stretch, sent: count, planned: count })),
      open: z.array(z.object(stretch)),
      days: z.array(
        z.object({
          ...stretch,
          date: z.string(),
          sent: count,
          failed: count,
          bounced: count,
          replied: count,
          unsubscribed: count,
        }),
      ),
      countedMax: count,
      limit: z.object({ atMost: count, wins: z.enum(LIMITS_OF_TODAY), sentence: z.string() }),
      next: z.object({ at: z.date(), to: z.string().nullable(), emailId: z.string(), mailbox: z.string() }).nullable(),
      lastTick: z.object({
        ok: z.boolean(),
        sentence: z.string(),
        at: z.date().nullable(),
        ageSeconds: z.number().nullable(),
      }),
      hold: z.object({ isHeld: z.boolean(), since: z.date().nullable(), sentence: z.string() }),
      attention: z.array(
        z.object({
          kind: z.enum(ATTENTION_KINDS),
          id: z.string().nullable(),
          name: z.string().nullable(),
          count: count.nullable(),
          sentence: z.string().nullable(),
        }),
      ),
      steps: z.object({ mailbox: z.boolean(), people: z.boolean(), sequence: z.boolean(), campaign: z.boolean() }),
    }),
  }),

  overviewRows: operation({
    method: 'GET',
    path: '/api/overview/rows',
    summary:
      'The emails or people behind a figure of the overview, of a mailbox’s day, of a campaign’s pace, of the promise or of a hold after a restore: exactly those that it counted.',
    access: 'member',
    query: z.discriminatedUnion('what', [
      z.object({ ...page, what: z.enum(COUNTED_BY_TIME), from: instant, until: instant }),
      z.object({ ...page, what: z.enum(['open-failed', 'open-unknown']) }),
      z.object({ ...page, what: z.literal('blocked'), campaignId: idText }),
      z.object({
        ...{ ...page, what: z.literal('sent-of-campaign'), campaignId: idText },
        ...{ from: instant, until: instant },
      }),
      z.object({ ...page, what: z.literal('mailbox-used'), mailboxId: idText, date: localDate }),
      z.object({ ...page, what: z.literal('mailbox-due'), mailboxId: idText, until: instant }),
      z.object({ ...page, what: z.enum(['accepted', 'accepted-again']) }),
      z.object({ ...page, what: z.literal('were-unknown'), way: z.enum(SETTLED_WAYS).optional() }),
      z.object({ ...page, what: z.literal('maybe-sent') }),
      z.object({
        ...{ ...page, what: z.literal('maybe-sent-of-group'), mailboxId: idText, doubt },
        campaignId: idText.optional(),
      }),
    ]),
    output: z.object({
      total: count,
      rows: z.array(
        z.object({
          id: z.string(),
          at: z.date(),
          prospectId: z.string().nullable(),
          recipient: z.string().nullable(),
          campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
          sentence: z.string().nullable(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  }),

  held: operation({
    method: 'GET',
    path: '/api/admin/held',
    summary:
      'Whether sending is held after a restore, what is another about the database, and why you cannot let sending go on, if so.',
    access: 'member',
    output: z.object({
      isHeld: z.boolean(),
      since: z.date().nullable(),
      reason: z.enum(['FIRST', 'CHANGED', 'WENT_BACK', 'BY_PERSON']).nullable(),
      lastSignAt: z.date().nullable(),
      sentence: z.string(),
      changes: z.array(
        z.object({
          what: z.enum(['system', 'timeline', 'database', 'table', 'moment']),
          before: z.string().nullable(),
          now: z.string().nullable(),
        }),
      ),
      lastSeenAt: z.date().nullable(),
      lastLiftedAt: z.date().nullable(),
      cannotLift: z.string().nullable(),
    }),
  }),

  heldGroups: operation({
    method: 'GET',
    path: '/api/admin/held/groups',
    summary:
      'What waits in this workspace and may have been sent before the restore, by campaign, mailbox and how likely that is; the oldest first.',
    access: 'member',
    query: z.object({
      cursor: z
        .string()
        .transform((text, context) => {
          const [, from, campaignId, mailboxId, likely] = HELD_CURSOR.exec(text) ?? []
          if (from && mailboxId && !Number.isNaN(Date.parse(from)))
            return {
              ...{ from: new Date(from), mailboxId, doubt: doubt.parse(likely) },
              campaignId: campaignId === 'none' ? null : (campaignId ?? null),
            }
          context.addIssue({ code: 'custom', message: 'This is not a cursor of ours.' })
          return z.NEVER
        })
        .optional(),
      limit: page.limit,
    }),
    output: z.object({
      total: z.object({ emails: count, from: z.date().nullable(), to: z.date().nullable() }),
      groups: z.array(
        z.object({
          campaign: named.nullable(),
          mailbox: z.object({ id: z.string(), address: z.string() }),
          doubt,
          emails: count,
          from: z.date(),
          to: z.date(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  }),

  liftHold: operation({
    method: 'POST',
    path: '/api/admin/held/lift',
    summary:
      'Lets all sending go on after a restore, on the word of an owner of every workspace with mailboxes; `since` is the moment of the hold that was looked at.',
    access: 'owner',
    peopleOnly: true,
    body: z.object({ since: instant }),
    output: done,
  }),

  promise: operation({
    method: 'GET',
    path: '/api/admin/promise',
    summary:
      'What must always be so, how far ticks have looked whether it is, and what they found; the two ledgers of the workspace; how unknown outcomes were settled.',
    access: 'member',
    output: z.object({
      now: z.date(),
      lookedAt: z.date().nullable(),
      findingsMax: count,
      invariants: z.array(
        z.object({
          name: z.string(),
          holds: z.string(),
          sentence: z.string(),
          cure: z.string(),
          looks: z.array(
            z.object({
              unit: z.string().nullable(),
              rows: count,
              ofRows: count.nullable(),
              isUnderWay: z.boolean(),
              lookedAt: z.date().nullable(),
              roundEndedAt: z.date().nullable(),
              isTroubled: z.boolean(),
            }),
          ),
          findings: z.array(
            z.object({
              kind: z.enum(WALK_NAMES),
              id: z.string().nullable(),
              name: z.string().nullable(),
              prospectId: z.string().nullable(),
              campaign: named.nullable(),
              date: z.string().nullable(),
              state: z.string().nullable(),
              foundAt: z.date(),
              seenAt: z.date(),
            }),
          ),
          isFoundElsewhere: z.boolean(),
        }),
      ),
      ledgers: z.object({
        countedAt: z.date(),
        enrolments: enrolmentLedger,
        emails: emailLedger,
        transactional: z.object({ total: count, ...oneOfEach(emailStatus.options) }),
        dismissed: z.object({ CAMPAIGN: count, TRANSACTIONAL: count }),
        balances: z.boolean(),
      }),
      accepted: count,
      unknowns: z.object({
        total: count,
        countedMax: count,
        ways: z.record(z.enum(SETTLED_WAYS), count),
        acceptedAgain: count,
      }),
    }),
  }),

  removeDemo: operation({
    method: 'POST',
    path: '/api/demo/removal',
    summary: 'Removes the demo workspace with its whole database, where this is one; everywhere else it answers 404.',
    access: 'owner',
    output: done,
  }),
}
