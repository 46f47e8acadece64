import { expect, test } from 'vitest'
import { claimActions } from '#lib/actions/claim.ts'
import { scheduleActions } from '#lib/actions/schedule.ts'
import { newId } from '#lib/platform/id.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('of one claim each workspace has as many as the others, however many of them have thousands due', async () => {
  const owners = await Promise.all(
    Array.from({ length: 5 }, async () => (await makeWorkspace(db.pool, {})).workspaceId),
  )
  for (const workspaceId of owners)
    await scheduleActions(
      db.pool,
      workspaceId,
      Array.from({ length: 300 }, (_, n) => ({
        ...{ type: 'LOOK' as const, dedupeKey: `fair:${n}`, campaignId: newId() },
        ...{ enrolmentId: newId(), prospectId: newId() },
      })),
    )
  const claimed = await claimActions(db.pool, 'test', 'people')
  const counts = owners.map((owner) => claimed.filter(({ workspaceId }) => workspaceId === owner).length)
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(30)
})
