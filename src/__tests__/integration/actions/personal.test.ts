import { expect, test } from 'vitest'
import { claimActions } from '#lib/actions/claim.ts'
import { scheduleActions } from '#lib/actions/schedule.ts'
import { markError } from '#lib/actions/settle.ts'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { exportProspect } from '#lib/audience/prospects/export-prospect.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { branchingOn, first } from '#tests/support/actions/branching-on.ts'
import { type Branching, FORK } from '#tests/support/data/branching.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** The way of a person through a sequence is theirs: it is exported with all else about them, and erased like it. */
const db = testDatabase()
const on = branchingOn(db)

async function exported(campaign: Branching, id = first(campaign)) {
  const { workspaceId, consequences } = await on.audienceOf(campaign)
  return inTransaction(db.pool, (tx) => exportProspect(tx, workspaceId, id, actor, consequences))
}

async function erase(campaign: Branching) {
  const { workspaceId, consequences } = await on.audienceOf(campaign)
  await inTransaction(db.pool, (tx) => eraseProspect(tx, workspaceId, first(campaign), actor, consequences))
}

test('an export tells where they stand, what they came through, what was waited for, what is set and what happened', async () => {
  const campaign = await on.sent(FORK, { people: 2 })
  await on.happens(campaign)
  await on.tick()
  const { journeys, journeySteps, journeyWaits, actions, personEvents } = await exported(campaign)
  expect(journeys).toMatchObject([{ campaign: 'Spring', prospectId: first(campaign), state: 'EMAIL', nodeId: 'e4' }])
  expect(journeySteps.map(({ nodeId, what }) => `${nodeId} ${what}`)).toEqual(['e1 sent', 'b yes'])
  expect(journeyWaits).toMatchObject([{ nodeId: 'b', eventType: 'CUSTOM', eventName: 'bought', outcome: 'EVENT' }])
  expect(actions.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
    'LOOK COMPLETED',
    'MOVE_ON COMPLETED',
    'TIMEOUT CANCELLED',
  ])
  expect(personEvents).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'CUSTOM', name: 'bought' })]))
  // Of nobody else.
  expect((await exported(campaign, campaign.prospectIds[1])).journeys).toMatchObject([{ state: 'BRANCH' }])
})

test('an erasure ends their way, cancels whatever is set for them, and leaves no words about them', async () => {
  const campaign = await on.make(FORK, { people: 2 })
  const { workspaceId, campaignId, prospectIds } = campaign
  await on.sendAndMove()
  const { rows: people } = await db.pool.query<{ enrolmentId: string; prospectId: string }>(
    'SELECT id AS "enrolmentId", prospect_id AS "prospectId" FROM campaign_prospects WHERE campaign_id = $1',
    [campaignId],
  )
  for (const person of people)
    await scheduleActions(db.pool, workspaceId, [
      {
        ...{ type: 'REMIND', dedupeKey: `remind:${person.enrolmentId}`, campaignId, ...person },
        payload: { personId: person.enrolmentId, note: '' },
      },
    ])
  const claimed = await claimActions(db.pool, 'w', 'people')
  await markError(db.pool, claimed, 'Key (email)=(ada@example.com) already exists.')
  await erase(campaign)
  expect(await on.standsAt(campaign)).toBe('ENDED PROSPECT_ERASED')
  const of = async (prospectId: string | undefined) =>
    (
      await db.pool.query(
        `SELECT a.type || ' ' || a.status AS action, a.last_error, t.error FROM scheduled_actions a LEFT JOIN action_attempts t ON t.action_id = a.id
         WHERE a.prospect_id = $1 AND a.type IN ('REMIND', 'TIMEOUT') ORDER BY a.type`,
        [prospectId],
      )
    ).rows
  const nothing = { last_error: null, error: null }
  expect(await of(first(campaign))).toEqual([
    { action: 'TIMEOUT CANCELLED', ...nothing },
    { action: 'REMIND CANCELLED', ...nothing },
  ])
  // The other’s stay as they were, and nobody else may take words away.
  const words = 'Key (email)=(ada@example.com) already exists.'
  expect(await of(prospectIds[1])).toContainEqual({ action: 'REMIND PENDING', last_error: words, error: words })
  await expect(db.pool.query('UPDATE action_attempts SET error = NULL WHERE error IS NOT NULL')).rejects.toThrow(
    'only appended to',
  )
  expect(await on.actionsOf(campaign, 'REMIND')).toContain('REMIND CANCELLED PROSPECT_ERASED')
  expect(await examine(db.pool)).toEqual([])
})
