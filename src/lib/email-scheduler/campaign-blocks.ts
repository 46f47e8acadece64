import type { GuardName } from '#lib/guardrails/guards.ts'

/** What may keep a part of a campaign from going out. */
export const CAMPAIGN_BLOCKS = [
  'mailbox',
  'missing-fields',
  'fields-of-emails',
  'paused-people',
  'unknown',
  'parked',
] as const

/** Guards that park what they refuse until a person cures it: emails are listed by them. */
export const PARKING_GUARDS = [
  'prospect-active',
  'merge-fields-complete',
  'mailbox-connected',
] as const satisfies GuardName[]
