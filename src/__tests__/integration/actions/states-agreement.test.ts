import { expect, test } from 'vitest'
import { ACTION_STATUSES, mayActionBecome } from '#lib/actions/states.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeDraft } from '#tests/support/data/drafts.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

const COLUMNS = `lease_until = CASE WHEN $2 = 'RUNNING' THEN app_now() END, leased_at = CASE WHEN $2 = 'RUNNING' THEN app_now() END,
  leased_by = CASE WHEN $2 = 'RUNNING' THEN 'w' END, lease_token = 1,
  reason = CASE WHEN $2 IN ('CANCELLED', 'DEAD') THEN 'BY_PERSON' END,
  ended_at = CASE WHEN $2 IN ('COMPLETED', 'CANCELLED', 'DEAD') THEN app_now() END`

test('Postgres knows the same arrows of an action as the table, each of them', async () => {
  const { workspaceId, campaignId } = await makeDraft(db.pool, 0, [0])
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id)
     VALUES ($1, 'START_CAMPAIGN', 'k', app_now(), $2) RETURNING id`,
    [workspaceId, campaignId],
  )
  const id = rows[0]?.id
  for (const from of ACTION_STATUSES) {
    for (const to of ACTION_STATUSES.filter((status) => status !== from)) {
      await inTransaction(db.pool, async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica')
        await tx.query(`UPDATE scheduled_actions SET status = $2::text::action_status, ${COLUMNS} WHERE id = $1`, [
          id,
          from,
        ])
      })
      const moved = db.pool.query(
        `UPDATE scheduled_actions SET status = $2::text::action_status, ${COLUMNS} WHERE id = $1`,
        [id, to],
      )
      if (mayActionBecome(from, to)) await expect(moved, `${from} → ${to}`).resolves.toMatchObject({ rowCount: 1 })
      else await expect(moved, `${from} → ${to}`).rejects.toThrow(`an action that is ${from} cannot become ${to}`)
    }
  }
})

test.each([
  ['is never deleted', 'DELETE FROM scheduled_actions', 'its key must not be free again'],
  ['keeps its key', `UPDATE scheduled_actions SET dedupe_key = 'other'`, 'never changes'],
  ['keeps what it is for', 'UPDATE scheduled_actions SET campaign_id = gen_random_uuid()', 'never changes'],
  ['gives no lease out twice', 'UPDATE scheduled_actions SET lease_token = lease_token - 1', 'tokens only rise'],
])('an action %s', async (_, sql, words) => {
  await expect(db.pool.query(sql)).rejects.toThrow(words)
})
