import type { Guest } from '#tests/support/browser/guest.ts'
import { links } from './places.ts'
import { type App, LONG_NAME } from './scene.ts'

const STEPS = [
  { subject: 'Your stand', bodyHtml: '<p>See <a href="https://example.com/plan">the plan</a>.</p>' },
  { delayDays: 1, bodyText: 'You have seen it.' },
  { delayDays: 2, bodyText: 'Have you seen it?' },
]

/** A sequence that branches, a campaign that sends it, and actions as they stand after a while. */
export async function populateActions(app: App, owner: Guest): Promise<void> {
  const { id: listId } = await owner.ask<{ id: string }>('POST', '/api/lists', {
    name: `Keen on ${LONG_NAME}`.slice(0, 100),
  })
  const graph = {
    nodes: [
      { id: 'first', type: 'email', stepNumber: 1 },
      {
        ...{ id: 'seen', type: 'branch', if: { event: 'CLICKED' }, withinDays: 3 },
        yes: [
          { id: 'keen', type: 'add-to-list', listId },
          { id: 'second', type: 'email', stepNumber: 2 },
        ],
        no: [
          { id: 'pause', type: 'wait', for: { kind: 'days', days: 2 } },
          {
            ...{ id: 'bought', type: 'branch', if: { event: 'CUSTOM', name: 'bought' }, withinDays: 5 },
            yes: [{ id: 'done', type: 'end' }],
            no: [{ id: 'third', type: 'email', stepNumber: 3 }],
          },
        ],
      },
    ],
  }
  const sequence = await owner.ask<{ id: string }>('POST', '/api/sequences', {
    name: 'By what they do',
    steps: STEPS,
    graph,
  })
  links.branching = `/sequences/${sequence.id}`
  const empty = await owner.ask<{ id: string }>('POST', '/api/sequences', {
    name: 'Not yet complete',
    steps: STEPS.slice(0, 1),
    graph: {
      nodes: [
        { id: 'wait', type: 'wait', for: { kind: 'time-of-day', time: '09:00' } },
        { id: 'first', type: 'email', stepNumber: 1 },
        { id: 'asks', type: 'branch', if: { event: 'REPLIED' }, withinDays: 1, yes: [], no: [] },
      ],
    },
  })
  links.unfinishedBranches = `/sequences/${empty.id}`
  const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    ...{ email: 'visitor@example.com', firstName: LONG_NAME },
  })
  const campaign = await owner.ask<{ id: string }>('POST', '/api/campaigns', {
    ...{ name: 'By what they do', sequenceId: sequence.id, tracksClicks: true },
  })
  await owner.ask('POST', `/api/campaigns/${campaign.id}/prospects`, { prospectIds: [prospect.id] })
  await owner.ask('POST', `/api/campaigns/${campaign.id}/launch`, {})
  const { enrolments } = await owner.ask<{ enrolments: { id: string }[] }>(
    'GET',
    `/api/campaigns/${campaign.id}/prospects`,
  )
  const enrolmentId = enrolments[0]?.id
  links.branched = `/campaigns/${campaign.id}`
  links.path = `/campaigns/${campaign.id}?tab=people&path=${enrolmentId}`
  await app.sql(`BEGIN;
    SET LOCAL session_replication_role = replica;
    INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, status, due_at, campaign_id, enrolment_id, prospect_id, node_id,
      attempts, lease_token, last_error, reason, ended_at)
    SELECT p.workspace_id, kind::action_type, 'scene:' || kind || ':' || made.state, made.state::action_status, app_now() + wait::interval,
      p.campaign_id, p.id, p.prospect_id, 'pause', tries, tries, error, why,
      CASE WHEN why IS NOT NULL OR made.state = 'COMPLETED' THEN app_now() END
    FROM campaign_prospects p, (VALUES
      ('WAIT', 'PENDING', '2 days', 0, NULL, NULL), ('TIMEOUT', 'PENDING', '1 day', 0, NULL, NULL), ('TIMEOUT', 'HELD', '3 days', 0, NULL, NULL),
      ('MOVE_ON', 'COMPLETED', '-2 days', 1, NULL, NULL),
      ('REMIND', 'DEAD', '-1 day', 5, 'The mail server answered 421 four times, and then no longer: ${'very '.repeat(30)}busy.', 'FAILED_TOO_OFTEN'))
      AS made(kind, state, wait, tries, error, why)
    WHERE p.id = '${enrolmentId}';
    INSERT INTO action_attempts (action_id, lease_token, worker, started_at, outcome, error)
    SELECT id, 5, 'worker-1', app_now() - interval '1 day', 'FAILED', last_error FROM scheduled_actions WHERE dedupe_key = 'scene:REMIND:DEAD';
    COMMIT`)
  const { actions } = await owner.ask<{ actions: { id: string }[] }>('GET', '/api/admin/actions?status=DEAD')
  links.deadAction = actions[0]?.id ?? ''
}
