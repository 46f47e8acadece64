import type { NO_SENDING_DAY } from '#lib/guardrails/settings.ts'
import type { LimitedBy } from './plan-capacity.ts'

export interface PlanStep {
  stepNumber: number
  /** Local days after the previous step; not looked at on the first step of a new prospect. */
  delayDays: number
  /** The idempotency key: the jitter comes from it. */
  key: string
}

/** What is still to plan for one enrolment. */
export interface PlanRequest {
  enrolmentId: string
  /** The mailbox that it stays on, or null where the planner may choose. */
  mailboxId: string | null
  steps: readonly PlanStep[]
  /** When the step before the first of these was sent or is planned; null where the first of these opens the thread. */
  predecessorAtMs: number | null
  /** The first of these goes no earlier. */
  notBeforeMs?: number | null
}

export interface Placement {
  enrolmentId: string
  stepNumber: number
  key: string
  mailboxId: string
  scheduledForMs: number
  localDate: string
  jitterSeconds: number
  /** The limit that kept it from going earlier, and the local date on which that limit held it. */
  limitedBy: LimitedBy
  limitedOn: string
}

export type PlanErrorName =
  | 'invalid-settings'
  | typeof NO_SENDING_DAY
  | 'no-mailbox'
  | 'no-capacity'
  | 'unknown-mailbox'
  | 'follow-up-without-mailbox'
  | 'invalid-request'

export interface PlanError {
  name: PlanErrorName
  sentence: string
}

export type PlanResult = { ok: true; placements: Placement[] } | { ok: false; error: PlanError }
