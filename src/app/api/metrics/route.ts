import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/route.ts'
import { checkCronSecret } from '#lib/worker/cron-secret.ts'
import { readMetrics } from '#lib/worker/metrics.ts'

export const dynamic = 'force-dynamic'

export const GET = route(
  {
    summary:
      'Gauges of queue, mailboxes and ticks in the text format of Prometheus; with Authorization: Bearer $METRICS_SECRET.',
    output: z.string(),
  },
  async ({ request }) => {
    const verdict = checkCronSecret(request.headers.get('authorization'), process.env.METRICS_SECRET)
    if (verdict === 'not-configured')
      throw new PublicError(
        503,
        'metrics-secret-missing',
        'METRICS_SECRET is not set, or is shorter than 16 characters; no metrics are given until it is.',
      )
    if (verdict === 'wrong')
      throw new PublicError(
        401,
        'unauthorised',
        'This address is for monitoring: send Authorization: Bearer with the value of METRICS_SECRET.',
      )
    return new Response(await readMetrics(database()), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    })
  },
)
