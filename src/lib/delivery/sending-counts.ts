export type SendingCounts = {
  /** Claimed. */
  due: number
  sent: number
  /** Attempts that were definitely refused: of them `retried` are tried again, and `dead` wait for a person. */
  failed: number
  retried: number
  dead: number
  unknown: number
  /** Given back without an attempt. */
  released: number
  cancelled: number
  /** Given to a broker, where there is one; of them `republished` had failed before. */
  published: number
  republished: number
  /** No broker took it, so it went back to the queue. */
  unpublished: number
}

export const NOTHING_SENT: SendingCounts = {
  due: 0,
  sent: 0,
  failed: 0,
  retried: 0,
  dead: 0,
  unknown: 0,
  released: 0,
  cancelled: 0,
  published: 0,
  republished: 0,
  unpublished: 0,
}
