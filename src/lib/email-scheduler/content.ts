/** One email as it goes out: rendered once, frozen at its first attempt, and sent the same by every retry. */
export type EmailContent = {
  from: { name: string; address: string }
  /** Exactly one. */
  to: { name: string; address: string }
  subject: string
  text: string
  /** Empty where the step has none. */
  html: string
  /** In angle brackets. */
  messageId: string
  date: Date
  /** Those of the thread and of unsubscribing; never one that the fields above make. */
  headers: Readonly<Record<string, string>>
}
