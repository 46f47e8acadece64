import type pg from 'pg'
import type { PeerRecord } from '#tests/support/mail/scripted-smtp.ts'

type Row = {
  id: string
  status: string
  marked: boolean
  messageIds: string[]
}

export type Findings = {
  emails: number
  accepted: number
  /** Accepted a second time. */
  doubles: number
  sent: number
  unknown: number
  failed: number
  cancelled: number
  waiting: number
  /** What must not be, a sentence each. */
  wrong: string[]
}

/**
 * Reads the provider's ledger and the database, and nothing else: what was promised, and whether it was kept. To be asked
 * when every worker has gone and every lease has been recovered.
 */
export async function check(
  pool: pg.Pool,
  campaignIds: readonly string[],
  ledger: readonly PeerRecord[],
): Promise<Findings> {
  const { rows } = await pool.query<Row>(`${EMAILS} WHERE e.campaign_id = ANY($1::uuid[])`, [campaignIds])
  const findings = judge(rows, ledger)
  return { ...findings, wrong: [...findings.wrong, ...(await checkQuotas(pool, campaignIds))] }
}

/** The same of a workspace's transactional email, which counts towards no quota of campaigns. */
export async function checkTransactional(
  pool: pg.Pool,
  workspaceId: string,
  ledger: readonly PeerRecord[],
  recipients = 1,
): Promise<Findings> {
  const { rows } = await pool.query<Row>(`${EMAILS} WHERE e.workspace_id = $1 AND e.kind = 'TRANSACTIONAL'`, [
    workspaceId,
  ])
  return judge(rows, ledger, recipients)
}

const EMAILS = `SELECT e.id, e.status::text, e.marked_token IS NOT NULL AS marked,
    ARRAY(SELECT c.message_id FROM email_contents c WHERE c.email_id = e.id) AS "messageIds"
  FROM scheduled_emails e`

function judge(rows: readonly Row[], ledger: readonly PeerRecord[], recipients = 1): Findings {
  const emailOf = new Map(rows.flatMap((row) => row.messageIds.map((messageId) => [messageId, row] as const)))
  const times = new Map<string, number>()
  const wrong: string[] = []
  for (const { event, messageId, to } of ledger) {
    if (event !== 'accepted') continue
    const email = emailOf.get(messageId ?? '')
    if (email) times.set(email.id, (times.get(email.id) ?? 0) + 1)
    else wrong.push(`the provider accepted ${messageId}, which the database does not know`)
    if (to.length !== recipients) wrong.push(`${messageId} went to ${to.length} recipients`)
  }
  const count = (status: string) => rows.filter((row) => row.status === status).length
  for (const row of rows) {
    const accepted = times.get(row.id) ?? 0
    if (accepted > 1) wrong.push(`${row.id} was accepted ${accepted} times`)
    if (row.status === 'SENT' && accepted === 0) wrong.push(`${row.id} is SENT and was never accepted`)
    if (accepted > 0 && row.status !== 'SENT' && row.status !== 'OUTCOME_UNKNOWN')
      wrong.push(`${row.id} was accepted and is ${row.status}`)
    if (row.status === 'OUTCOME_UNKNOWN' && !row.marked) wrong.push(`${row.id} is unknown without a mark`)
    if (row.status === 'SENDING' || row.status === 'FAILED') wrong.push(`${row.id} is still ${row.status}`)
  }
  return {
    emails: rows.length,
    accepted: times.size,
    doubles: [...times.values()].filter((count) => count > 1).length,
    sent: count('SENT'),
    unknown: count('OUTCOME_UNKNOWN'),
    failed: count('PERMANENTLY_FAILED'),
    cancelled: count('CANCELLED'),
    waiting: count('SCHEDULED') + count('RETRY_SCHEDULED'),
    wrong,
  }
}

/** Whole: each date holds exactly the emails that were sent or may have been, and never more than the limit. */
async function checkQuotas(pool: pg.Pool, campaignIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{
    workspace_id: string
    reserved: number
    held: number
    quota: number
    most: number
  }>(
    `SELECT s.workspace_id, s.daily_quota AS quota,
       (SELECT coalesce(sum(reserved), 0)::int FROM workspace_days d WHERE d.workspace_id = s.workspace_id) AS reserved,
       (SELECT coalesce(max(reserved), 0)::int FROM workspace_days d WHERE d.workspace_id = s.workspace_id) AS most,
       (SELECT count(*)::int FROM scheduled_emails e WHERE e.workspace_id = s.workspace_id AND e.status IN ('SENT', 'OUTCOME_UNKNOWN')) AS held
     FROM sending_settings s WHERE s.workspace_id IN (SELECT workspace_id FROM campaigns WHERE id = ANY($1::uuid[]))`,
    [campaignIds],
  )
  return rows.flatMap(({ workspace_id: id, reserved, held, quota, most }) => [
    ...(reserved === held ? [] : [`workspace ${id} counts ${reserved} places for ${held} emails`]),
    ...(most <= quota ? [] : [`workspace ${id} sent ${most} on a date with a quota of ${quota}`]),
  ])
}
