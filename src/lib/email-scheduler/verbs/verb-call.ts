import type { BulkVerb } from '#lib/email-scheduler/verbs.ts'

/** What a person wants done with emails. */
export type VerbCall =
  | { action: Exclude<BulkVerb, 'send_again' | 'reschedule'> }
  /** Not before an attempt must have ended. */
  | { action: 'send_again'; attemptMsMax: number }
  | { action: 'reschedule'; at: Date }

/** The most emails that one request changes. */
export const BULK_MAX = 1_000
