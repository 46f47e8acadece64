import type { SendingCounts } from '#lib/delivery/sending-counts.ts'

/** What one tick did, as the cron endpoint answers it. */
export type TickSummary = SendingCounts & {
  worker: string
  startedAt: string
  durationMs: number
  campaignsStarted: number
  campaignsReopened: number
  /** What was set for a time, besides emails: waits, time-outs, and what follows from events. */
  actionsDone: number
  /** What should have been set for people on their way and was not: found and mended. */
  actionsMended: number
  campaignsClosed: number
  enrolmentsFreed: number
  enrolmentsFinished: number
  emailsScheduled: number
  emailsAppended: number
  emailsReplanned: number
  /** Leases that ran out: back in the queue, or unknown where the email had been marked. */
  recovered: number
  /** Of stopped campaigns: what the stop itself had no time for. */
  emailsCancelled: number
  /** Unknown emails of which their providers told what became of them. */
  emailsProven: number
  /** Looked at for what a person wanted done with many at once. */
  emailsInBulks: number
  /** Openings and clicks that were a person's. */
  eventsTracked: number
  /** Attempts to tell the workspaces' own programs of events. */
  webhooksDelivered: number
  webhooksFailed: number
  /** What keeps campaigns from being planned, a sentence each. */
  planningErrors: string[]
  /** There was more to plan than this tick had time for. */
  planningUnfinished: boolean
}
