import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { ALERT_KINDS, type AlertKind } from './notice.ts'

export type Digest = {
  workspaceName: string
  subject: string
  /** One for each happening, the worst first. */
  sentences: string[]
  owners: { name: string; email: string }[]
}

const TOLD_AT_MOST_EVERY = '1 hour'
/** More are told as a number; each is on the overview. */
const SENTENCES_MAX = 20

type Row = { kind: AlertKind; sentence: string; isOver: boolean }

/** Of which workspaces owners have something to hear, and have not heard anything within the hour. */
export async function workspacesToTell(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT DISTINCT workspace_id AS id FROM alerts a WHERE told_at IS NULL AND NOT EXISTS (
       SELECT FROM alerts t WHERE t.workspace_id = a.workspace_id AND t.told_at > app_now() - $1::interval) LIMIT 100`,
    [TOLD_AT_MOST_EVERY],
  )
  return rows.map(({ id }) => id)
}

/**
 * Everything that one workspace's owners have not been told, in one mail to each of them. It counts as told in the
 * transaction in which `store` keeps the mails: neither is there without the other, so that nobody is told twice. Answers with
 * what was told, or undefined where another was quicker.
 */
export async function tellOwners(
  pool: pg.Pool,
  workspaceId: string,
  store: (tx: Sql, digest: Digest) => Promise<void>,
): Promise<Digest | undefined> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<Row>(
      `WITH told AS (
         UPDATE alerts SET told_at = app_now() WHERE workspace_id = $1 AND told_at IS NULL
         RETURNING id, kind, sentence, ended_at IS NOT NULL AS "isOver")
       SELECT kind, sentence, "isOver" FROM told ORDER BY array_position($2::text[], kind), id`,
      [workspaceId, Object.keys(ALERT_KINDS)],
    )
    const [first] = rows
    if (!first) return undefined
    const owners = await tx.query<{ workspaceName: string; name: string; email: string }>(
      `SELECT w.name AS "workspaceName", u.name, u.email FROM workspaces w JOIN members m ON m.workspace_id = w.id AND m.role = 'owner'
       JOIN users u ON u.id = m.user_id WHERE w.id = $1 ORDER BY u.email`,
      [workspaceId],
    )
    const workspaceName = owners.rows[0]?.workspaceName
    if (workspaceName === undefined) return undefined
    const kinds = new Set(rows.map(({ kind }) => kind))
    const what = kinds.size === 1 ? ALERT_KINDS[first.kind] : `${rows.length} things need you`
    const digest = {
      workspaceName,
      subject: `${what}: ${workspaceName}`,
      sentences: sentencesOf(rows),
      owners: owners.rows,
    }
    await store(tx, digest)
    return digest
  })
}

function sentencesOf(rows: readonly Row[]): string[] {
  const told = rows
    .slice(0, SENTENCES_MAX)
    .map(({ kind, sentence, isOver }) => (isOver && kind !== 'no-tick' ? `${sentence} It is over by now.` : sentence))
  const more = rows.length - told.length
  return more > 0 ? [...told, `And ${more} more; the overview has them all.`] : told
}
