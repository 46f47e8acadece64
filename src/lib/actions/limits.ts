/** After each attempt that failed, the minutes until the next. When they are used up, the action is dead. */
export const ACTION_RETRY_MINUTES = [1, 5, 15, 60, 360] as const

/** Longer than any batch takes. What a lost worker held comes back after it. */
export const ACTION_LEASE_SECONDS = 120

/** Of one claim, and of one workspace in it: thousands that come due together in one hold up no other. */
export const CLAIMED_AT_ONCE = 200
export const CLAIMED_OF_WORKSPACE = 100

/** What a program or a pixel tells comes some seconds late: a time-out is decided so long after its deadline. */
export const TIMEOUT_GRACE_SECONDS = 10
