import pino from 'pino'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { createPool } from '#lib/platform/database.ts'

/** Schedules one campaign, as a launch would, in a process that a test can kill: node schedule-process.ts URL WORKSPACE CAMPAIGN */
const [url = '', workspaceId = '', campaignId = ''] = process.argv.slice(2)
const pool = createPool(url, 2)
await pool.query('SELECT 1')
process.send?.('begun')
await scheduleEmailsForCampaign(
  pool,
  { workspaceId, campaignId },
  { log: pino({ level: 'silent' }), mayContinue: () => true },
)
await pool.end()
