/** What the product keeps to with every receiver; the page and the docs say it by these figures. */

/** After each attempt that failed, the wait until the next. When they are used up, the delivery has failed. */
export const RETRY_DELAYS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400] as const

/** From the look-up of the name to the last byte of the answer. */
export const TIMEOUT_MS = 15_000

/** Longer than any attempt with what is written after it. A worker that died holds a delivery no longer. */
export const LEASE_SECONDS = 60

/** Under way at one endpoint, whatever the number of workers; one, while it fails. */
export const AT_ONCE_MAX = 4
export const FAILING_AFTER = 3

/** A later event of the same email goes once the earlier one was delivered, or has failed so often. */
export const ORDER_KEPT_ATTEMPTS = 2

/** What is kept of an answer; the connection is cut after it. */
export const ANSWER_BYTES_MAX = 4_096

/** However long a receiver wants to be left alone. */
export const HOLD_SECONDS_MAX = 3_600

export const ROTATION_HOURS = 24
/** Delivered or not. An endpoint whose events wait longer is disabled. */
export const KEPT_DAYS = 14
/** Of one endpoint, of those that have ended. */
export const KEPT_MAX = 100_000
export const REMOVED_KEPT_HOURS = 24

/** Of a workspace. Every event is written once for each of them. */
export const ENDPOINTS_MAX = 20
export const URL_LENGTH_MAX = 2_000
