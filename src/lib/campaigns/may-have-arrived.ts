/**
 * Whether an earlier attempt at an email may have reached its recipient: one ended unknown, and nothing that came later
 * refutes it. `email` is the alias of its row. Where it holds, the same bytes go out or none: two different emails under
 * one key could both arrive.
 */
export const mayHaveArrived = (email: string) =>
  `EXISTS (SELECT FROM email_attempts unknown WHERE unknown.email_id = ${email}.id AND unknown.outcome = 'UNKNOWN'
    AND unknown.evidence IS DISTINCT FROM 'RETRY' AND unknown.evidence IS DISTINCT FROM 'REJECTED')`

/** Whether its recipient has it, may have it, or is getting it right now. */
export const wasOrMayBeSent = (email: string) =>
  `(${email}.status = 'SENT' OR ${email}.accepted_token IS NOT NULL
    OR (${email}.status = 'SENDING' AND ${email}.marked_token IS NOT DISTINCT FROM ${email}.lease_token) OR ${mayHaveArrived(email)})`
