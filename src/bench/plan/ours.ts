import pino from 'pino'
import { type CreateScheduledEmailInput, insertPlanned } from '#lib/email-scheduler/plan/insert-planned.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { createPool } from '#lib/platform/database.ts'
import { BATCH, type Contestant } from '../contestant.ts'
import type { BenchServer } from '../server.ts'
import { makeBenchCampaign } from './workspace.ts'

const STEPS = [0, 3, 4]
let databases = 0

/** The product as a launch uses it: windows, quotas and jitter computed, keys enforced, days and enrolments kept. */
export function sendonce(server: BenchServer): Contestant {
  return {
    name: 'Sendonce (plan and schedule)',
    async open(emails) {
      databases += 1
      const pool = createPool(await server.newDatabase(`sendonce_${databases}`, true), 2)
      const campaign = await makeBenchCampaign(pool, emails / STEPS.length, STEPS, Math.round(BATCH / STEPS.length))
      return {
        async run() {
          const result = await scheduleEmailsForCampaign(pool, campaign, {
            log: pino({ level: 'silent' }),
            mayContinue: () => true,
          })
          if (result.scheduled !== emails)
            throw new Error(`scheduled ${result.scheduled} of ${emails}: ${result.errors}`)
        },
        close: () => pool.end(),
      }
    },
  }
}

/** The raw limit: the rows that the product made, inserted again into the same empty table, nothing computed. */
export function bareInsert(server: BenchServer): Contestant {
  return {
    name: 'bare INSERT … unnest, same table',
    async open(emails) {
      databases += 1
      const pool = createPool(await server.newDatabase(`sendonce_${databases}`, true), 2)
      const campaign = await makeBenchCampaign(pool, emails / STEPS.length, STEPS, BATCH)
      const batches = await plannedRows(pool, campaign)
      return {
        async run() {
          for (const batch of batches) {
            await insertPlanned(pool, { ...campaign, firstStep: 1, version: 1, now: new Date() }, batch)
          }
        },
        close: () => pool.end(),
      }
    },
  }
}

type Campaign = Awaited<ReturnType<typeof makeBenchCampaign>>

async function plannedRows(
  pool: ReturnType<typeof createPool>,
  campaign: Campaign,
): Promise<CreateScheduledEmailInput[][]> {
  const { rows } = await pool.query<CreateScheduledEmailInput>(
    `SELECT cp.id AS "enrolmentId", cp.prospect_id AS "prospectId", s.step AS "stepNumber",
       cp.prospect_id || ':' || $2 || ':' || s.step AS key,
       (SELECT m.id FROM mailboxes m WHERE m.workspace_id = cp.workspace_id ORDER BY m.id LIMIT 1) AS "mailboxId",
       extract(epoch FROM app_now())::float8 * 1000 AS "scheduledForMs", '2030-01-01' AS "localDate", 30 AS "jitterSeconds",
       'nothing' AS "limitedBy", '2030-01-01' AS "limitedOn"
     FROM campaign_prospects cp, generate_series(1, $3::int) AS s(step) WHERE cp.campaign_id = $1 ORDER BY cp.id, s.step`,
    [campaign.campaignId, campaign.sequenceId, STEPS.length],
  )
  return Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  )
}
