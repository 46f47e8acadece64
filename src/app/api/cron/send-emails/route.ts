import { z } from 'zod'
import { keyring } from '#app/api/keyring.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { route } from '#lib/platform/route.ts'
import { checkCronSecret } from '#lib/worker/cron-secret.ts'
import { claimMsWithin, sendingLimits } from '#lib/worker/sending-limits.ts'
import { sendingMeans } from '#lib/worker/sending-means.ts'
import { runTick } from '#lib/worker/tick.ts'

export const dynamic = 'force-dynamic'
export const maxDuration = 300

export const GET = route(
  {
    summary: 'One tick of the worker; called by cron with the header Authorization: Bearer $CRON_SECRET.',
    output: z.object({
      worker: z.string(),
      startedAt: z.iso.datetime(),
      durationMs: z.number(),
      recovered: z.number(),
      due: z.number(),
      sent: z.number(),
      failed: z.number(),
      retried: z.number(),
      dead: z.number(),
      unknown: z.number(),
      released: z.number(),
      cancelled: z.number(),
      campaignsStarted: z.number(),
      campaignsReopened: z.number(),
      campaignsClosed: z.number(),
      enrolmentsFreed: z.number(),
      enrolmentsFinished: z.number(),
      emailsScheduled: z.number(),
      emailsAppended: z.number(),
      emailsReplanned: z.number(),
      emailsCancelled: z.number(),
      planningErrors: z.array(z.string()),
      planningUnfinished: z.boolean(),
    }),
  },
  async ({ request, log }) => {
    const verdict = checkCronSecret(request.headers.get('authorization'), process.env.CRON_SECRET)
    if (verdict === 'not-configured') {
      throw new PublicError(
        503,
        'cron-secret-missing',
        'CRON_SECRET is not set, or is shorter than 16 characters; no tick runs until it is.',
      )
    }
    if (verdict === 'wrong') {
      throw new PublicError(
        401,
        'unauthorised',
        'This address is for cron: send Authorization: Bearer with the value of CRON_SECRET.',
      )
    }
    const pool = database()
    const limits = sendingLimits(env(), claimMsWithin(maxDuration * 1000, env()))
    return runTick(pool, 'cron', log, { sending: { means: sendingMeans(pool, keyring(), env().APP_URL), limits } })
  },
)
