/** In the order in which a page lists them. */
export const LIMITS_OF_TODAY = [
  'sending-window',
  'spacing',
  'workspace-quota',
  'mailbox-limit',
  'ramp-up',
  'rolling-24h',
] as const

export type LimitOfTodayName = (typeof LIMITS_OF_TODAY)[number]
