import pino from 'pino'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { createPool } from '#lib/platform/database.ts'

/** Schedules one campaign and prints the largest resident size that it took, in kB. */
const [url = '', workspaceId = '', campaignId = ''] = process.argv.slice(2)
const pool = createPool(url, 2)
const result = await scheduleEmailsForCampaign(
  pool,
  { workspaceId, campaignId },
  { log: pino({ level: 'silent' }), mayContinue: () => true },
)
await pool.end()
if (result.remaining > 0 || result.errors.length > 0)
  throw new Error(`not everything was scheduled: ${JSON.stringify(result)}`)
process.stdout.write(String(process.resourceUsage().maxRSS))
