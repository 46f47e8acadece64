import { LACK } from '#lib/campaigns/journeys/lacking.ts'
import { CAMPAIGNS_WITHOUT_THEIR_TIMES } from '#lib/campaigns/times.ts'
import type { Invariant } from './invariant.ts'

const LONG_AGO = `app_now() - interval '15 minutes'`

const TICKS = 'Ticks clear this up by themselves: see that they come, and look into the log of the worker for errors.'
const SWEEP = 'A tick finds and mends this within some minutes: see that ticks come. If it stays, report it.'

/** Of an enrolment `cp`: an action that is not over. */
const hasAction = (condition: string) =>
  `EXISTS (SELECT FROM scheduled_actions a WHERE a.enrolment_id = cp.id AND ${condition})`

const hasJourney = (condition: string) =>
  `EXISTS (SELECT FROM journeys j WHERE j.enrolment_id = cp.id AND ${condition})`

const OF_A_PLACE = `a.type IN ('MOVE_ON', 'WAIT', 'TIMEOUT')`
const OPEN = `a.status IN ('PENDING', 'RUNNING', 'HELD')`
const LATE = `a.status = 'PENDING' AND a.due_at < ${LONG_AGO}`
const LOST = `a.status = 'RUNNING' AND a.lease_until < ${LONG_AGO}`

/** What must hold of scheduled actions, and of people on their way through sequences that branch. */
export const JOURNEY_INVARIANTS: readonly Invariant[] = [
  {
    name: 'actions-are-carried-out',
    sentence: 'people have actions that were due long ago: no tick carries them out.',
    holds: 'Every action of a person is carried out when it is due.',
    cure: TICKS,
    looks: [{ over: 'enrolments', offends: hasAction(`(${LATE} OR ${LOST})`) }],
    whole: `SELECT a.enrolment_id AS id FROM scheduled_actions a WHERE a.enrolment_id IS NOT NULL AND (${LATE} OR ${LOST})`,
  },
  {
    name: 'campaigns-have-their-times',
    sentence: 'campaigns do not begin or end as they say: no action is set for it, or none is carried out.',
    holds: 'Every campaign that is to begin or to end by itself has an action for it, and does so in time.',
    cure: SWEEP,
    looks: [
      {
        over: 'installation',
        offends: `EXISTS (${CAMPAIGNS_WITHOUT_THEIR_TIMES}) OR EXISTS (
          SELECT FROM scheduled_actions a WHERE a.type IN ('START_CAMPAIGN', 'END_CAMPAIGN') AND (${LATE} OR ${LOST}))`,
      },
    ],
    whole: `SELECT id FROM (${CAMPAIGNS_WITHOUT_THEIR_TIMES}) lacking UNION ALL
      SELECT a.campaign_id FROM scheduled_actions a WHERE a.type IN ('START_CAMPAIGN', 'END_CAMPAIGN') AND (${LATE} OR ${LOST})`,
  },
  {
    name: 'who-branches-has-a-place',
    sentence: 'people were planned in a sequence that branches, and stand nowhere in it: nothing moves them on.',
    holds: 'Everybody who was planned in a sequence that branches stands in one place of it.',
    cure: 'Take them out of the campaign, and add them to another one with a copy of the sequence.',
    looks: [
      {
        over: 'enrolments',
        offends: `cp.planned_at IS NOT NULL AND EXISTS (SELECT FROM campaigns c JOIN sequences q ON q.id = c.sequence_id
          WHERE c.id = cp.campaign_id AND q.graph IS NOT NULL) AND NOT ${hasJourney('true')}`,
      },
    ],
  },
  {
    name: 'who-waits-is-moved-on',
    sentence: 'people stand at a node of a sequence, and nothing is set that moves them on.',
    holds: 'Everybody who stands at a node has what moves them on.',
    cure: SWEEP,
    looks: [{ over: 'enrolments', offends: hasJourney(`(${LACK}) IS NOT NULL`) }],
  },
  {
    name: 'nobody-waits-twice',
    sentence: 'people wait for something at a node where they do not stand.',
    holds: 'Nobody waits at a node where they do not stand.',
    cure: 'Cancel the actions of these people that are listed as pending; where they stand is not touched by that.',
    looks: [
      {
        over: 'enrolments',
        offends: `EXISTS (SELECT FROM journey_waits w JOIN journeys j ON j.enrolment_id = w.enrolment_id WHERE w.enrolment_id = cp.id
            AND w.outcome IS NULL AND (j.state <> 'BRANCH' OR j.node_id <> w.node_id OR j.round <> w.round))
          OR EXISTS (SELECT FROM scheduled_actions a JOIN journeys j ON j.enrolment_id = a.enrolment_id WHERE a.enrolment_id = cp.id
            AND ${OF_A_PLACE} AND ${OPEN} AND (j.state = 'ENDED' OR j.node_id IS DISTINCT FROM a.node_id OR j.round <> a.round))`,
      },
    ],
  },
  {
    name: 'nobody-is-on-the-way-in-a-stopped-campaign',
    sentence: 'people are on their way through campaigns that were stopped: ticks should have ended it.',
    holds: 'Nobody is on the way through a campaign that was stopped.',
    cure: TICKS,
    looks: [
      {
        over: 'enrolments',
        offends: `${hasJourney(`j.state <> 'ENDED'`)} AND EXISTS (SELECT FROM campaigns c WHERE c.id = cp.campaign_id AND c.status = 'STOPPED' AND c.updated_at < ${LONG_AGO})`,
      },
    ],
  },
  {
    name: 'nobody-who-left-is-on-the-way',
    sentence:
      'people are on their way although they replied, bounced, unsubscribed, or are archived, merged or erased.',
    holds: 'Nobody is on the way who replied, bounced, unsubscribed, or is archived, merged or erased.',
    cure: 'Take these people out of their campaigns. They are looked at once more before anything is sent to them, and it stops there.',
    looks: [
      {
        over: 'enrolments',
        offends: `${hasJourney(`j.state IN ('WAITING', 'BRANCH', 'PLAN')`)} AND EXISTS (SELECT FROM prospects p WHERE p.id = cp.prospect_id
          AND (coalesce(p.replied_at, p.bounced_at, p.unsubscribed_at, p.archived_at, p.erased_at) IS NOT NULL OR p.merged_into_id IS NOT NULL))`,
      },
    ],
  },
  {
    name: 'nobody-finished-is-on-the-way',
    sentence: 'people have finished a campaign, and something is still to come for them in its sequence.',
    holds: 'Who has finished a campaign has nothing to come in its sequence.',
    cure: 'Take these people out of the campaign, which ends their way.',
    looks: [
      {
        over: 'enrolments',
        offends: `cp.state = 'FINISHED' AND ${hasJourney(`j.state IN ('PLAN', 'MOVING', 'WAITING', 'BRANCH')`)}`,
      },
    ],
  },
]
