import { system } from '#lib/contract/system.ts'
import { checkDispatch } from '#lib/dispatch/check-dispatch.ts'
import { readHealth } from '#lib/operations/health.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { route } from '#lib/platform/http/route.ts'

export const dynamic = 'force-dynamic'

export const GET = route(system.health, async ({ log }) => {
  const health = await readHealth(database(), log, () => checkDispatch(env(), database(), log))
  // Monitors look at the status code only, so that "down" must not be a 200.
  if (health.status === 'down') throw new PublicError(503, 'down', 'Sendonce cannot work right now.', health)
  return health
})
