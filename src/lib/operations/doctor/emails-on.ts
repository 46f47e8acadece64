type Holders = {
  /** SQL of their ids and workspaces. */
  mailboxes: string
  and?: string
  /** Of the emails `e`; none where they are only counted. */
  columns?: string
}

/**
 * The emails of some mailboxes that hold a place on the date of a row `d`. There is no index by that date, which every
 * claim would have to write, so each state is found by the one that it has: what is sent by when it was sent, which is
 * at most hours from the claim that took the place, in any zone. The rest is little.
 */
export function emailsHeldOn({ mailboxes, and = 'true', columns = '' }: Holders): string {
  const of = (
    condition: string,
  ) => `SELECT ${columns} FROM scheduled_emails e WHERE e.mailbox_id = m.id AND ${condition}
    AND e.reserved_date = d.local_date AND ${and}`
  return `(${mailboxes}) m CROSS JOIN LATERAL (
    ${of(`e.status = 'SENT' AND e.sent_at >= d.local_date - 1 AND e.sent_at < d.local_date + 3`)}
    UNION ALL ${of(`e.status = 'SENDING'`)}
    UNION ALL ${of(`e.workspace_id = m.workspace_id AND e.status = 'OUTCOME_UNKNOWN' AND e.dismissed_at IS NULL`)}
    UNION ALL ${of(`e.cancel_reason = 'DISMISSED' AND e.status = 'CANCELLED' AND e.marked_token IS NOT NULL`)}) held`
}

/** How many they are. */
export const emailsOn = (holders: Omit<Holders, 'columns'>) => `(SELECT count(*) FROM ${emailsHeldOn(holders)})`
