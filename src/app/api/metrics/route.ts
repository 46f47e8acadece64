import { system } from '#lib/contract/system.ts'
import { readMetrics } from '#lib/operations/metrics.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/http/route.ts'
import { checkCronSecret } from '#lib/worker/cron-secret.ts'

export const dynamic = 'force-dynamic'

export const GET = route(system.metrics, async ({ request }) => {
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
})
