import { beforeAll, describe, expect, test } from 'vitest'
import { addUpPeople } from '#lib/audience/add-up-people.ts'
import { changeMembers } from '#lib/audience/change-members.ts'
import { countProspects } from '#lib/audience/list-prospects.ts'
import { createList, listLists } from '#lib/audience/lists.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { countPeopleOf } from '#lib/campaigns/of-sequences.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
let draft: Draft

/** Cells with what is not added up, less who is there: of one moment, since it is one statement. */
async function wrongCells(): Promise<unknown[]> {
  const { rows } = await db.pool.query(
    `SELECT owner_id, state, sum(people) AS people, sum(steps) AS steps FROM (
       SELECT owner_id, state, people, steps FROM people_counts
       UNION ALL SELECT owner_id, state, people, steps FROM people_count_changes
       UNION ALL SELECT workspace_id, '', -count(*), 0 FROM prospects GROUP BY 1
       UNION ALL SELECT list_id, '', -count(*), 0 FROM list_members GROUP BY 1
       UNION ALL SELECT campaign_id, state::text, -count(*), -sum(planned_steps) FROM campaign_prospects GROUP BY 1, 2
     ) cells GROUP BY 1, 2 HAVING sum(people) <> 0 OR sum(steps) <> 0`,
  )
  return rows
}

const members = (listId: string, change: 'add' | 'remove', ids: readonly string[]) =>
  inTransaction(db.pool, (tx) => changeMembers(tx, draft.workspaceId, change, listId, ids))

beforeAll(async () => {
  draft = await makeDraft(db.pool, 120, [0, 2])
})

describe('how many people there are', () => {
  test('is right at every moment, while people come and go, campaigns are planned, and several add up', async () => {
    const lists = await Promise.all(['One', 'Two', 'Three'].map((name) => createList(db.pool, draft.workspaceId, name)))
    const others = await Promise.all(
      [40, 60].map((count) => makeDraft(db.pool, count, [0], { workspaceId: draft.workspaceId })),
    )
    let done = 0
    let isPlanned = false
    const isOver = () => isPlanned && done >= 40
    const person = async (seed: number) => {
      while (!isOver()) {
        const from = (seed * 17 + done * 7) % 100
        const list = lists[(seed + done) % lists.length]?.id ?? ''
        await members(list, done % 3 === 0 ? 'remove' : 'add', draft.prospectIds.slice(from, from + 20))
        done += 1
      }
    }
    const enroller = async () => {
      for (const other of others)
        await inTransaction(db.pool, (tx) =>
          enrolProspects(tx, draft.workspaceId, other.campaignId, draft.prospectIds, actor),
        )
      for (const one of [draft, ...others]) await launch(db.pool, one)
      while (!isPlanned) {
        await runTick(db.pool, 'counts', silent)
        isPlanned = (await db.pool.query(`SELECT FROM campaign_prospects WHERE state = 'PENDING'`)).rowCount === 0
      }
    }
    const adder = async () => {
      while (!isOver()) await addUpPeople(db.pool)
    }
    const watcher = async () => {
      while (!isOver()) expect(await wrongCells()).toEqual([])
    }
    await Promise.all([person(1), person(2), enroller(), adder(), adder(), watcher()])
    expect(await wrongCells()).toEqual([])
    for (const { id, members: shown } of await listLists(db.pool, draft.workspaceId, { archived: 'false' })) {
      const { rowCount } = await db.pool.query('SELECT FROM list_members WHERE list_id = $1', [id])
      expect(shown).toBe(rowCount)
      expect(await countProspects(db.pool, draft.workspaceId, { listId: id })).toBe(rowCount)
    }
  })

  test('a tick adds up what is left, forgets cells that are empty, and changes no count', async () => {
    const { id } = await createList(db.pool, draft.workspaceId, 'Emptied')
    await members(id, 'add', draft.prospectIds)
    const everybody = await countProspects(db.pool, draft.workspaceId, {})
    const ledger = await readLedger(db.pool, draft.campaignId)
    await runTick(db.pool, 'counts', silent)
    expect((await db.pool.query('SELECT FROM people_count_changes')).rowCount).toBe(0)
    expect(await countProspects(db.pool, draft.workspaceId, { listId: id })).toBe(120)
    await members(id, 'remove', draft.prospectIds)
    expect(await countProspects(db.pool, draft.workspaceId, { listId: id })).toBe(0)
    await runTick(db.pool, 'counts', silent)
    expect((await db.pool.query('SELECT FROM people_counts WHERE owner_id = $1', [id])).rowCount).toBe(0)
    expect(await countProspects(db.pool, draft.workspaceId, {})).toBe(everybody)
    expect((await readLedger(db.pool, draft.campaignId)).enrolments).toEqual(ledger.enrolments)
  })

  test('who is archived is in no count, and back in all of them once restored', async () => {
    const [first = ''] = draft.prospectIds
    const { id } = await createList(db.pool, draft.workspaceId, 'Hidden')
    await members(id, 'add', draft.prospectIds.slice(0, 5))
    const counts = async () => [
      await countProspects(db.pool, draft.workspaceId, { listId: id }),
      (await listLists(db.pool, draft.workspaceId, { archived: 'false' })).find((one) => one.id === id)?.members,
    ]
    await db.pool.query('UPDATE prospects SET archived_at = app_now() WHERE id = $1', [first])
    expect(await counts()).toEqual([4, 4])
    await db.pool.query('UPDATE prospects SET archived_at = NULL WHERE id = $1', [first])
    expect(await counts()).toEqual([5, 5])
  })

  test('the people of a sequence are those of its campaigns, by state', async () => {
    const { rows } = await db.pool.query<{ sequenceId: string; count: number }>(
      `SELECT c.sequence_id AS "sequenceId", count(*)::int AS count FROM campaigns c JOIN campaign_prospects cp ON cp.campaign_id = c.id
       WHERE c.workspace_id = $1 AND cp.state IN ('ACTIVE', 'FINISHED') GROUP BY 1`,
      [draft.workspaceId],
    )
    for (const { sequenceId, count } of rows)
      expect((await countPeopleOf(db.pool, draft.workspaceId, sequenceId)).total).toBe(count)
    expect(rows.length).toBeGreaterThan(0)
  })

  test('counted anew after a write past the triggers, they are right again', async () => {
    await inTransaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query('DELETE FROM list_members WHERE prospect_id = $1', [draft.prospectIds[1]])
    })
    expect(await wrongCells()).not.toEqual([])
    expect(await examine(db.pool)).toMatchObject([{ name: 'people-add-up' }])
    await db.pool.query('SELECT recount_people()')
    expect(await wrongCells()).toEqual([])
    expect(await examine(db.pool)).toEqual([])
  })
})
