import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/route.ts'
import { readHealth } from '#lib/worker/health.ts'

export const dynamic = 'force-dynamic'

const part = { ok: z.boolean(), sentence: z.string() }

export const GET = route(
  {
    summary: 'Whether the database, its migrations, the time-zone data and the cron are as they should be.',
    output: z.object({
      status: z.enum(['ok', 'degraded', 'down']),
      database: z.object({ ...part, latencyMs: z.number() }),
      migrations: z.object({ ...part, applied: z.number(), pending: z.number() }),
      timeZoneData: z.object({ ...part, version: z.string() }),
      lastTick: z.object({ ...part, at: z.date().nullable(), ageSeconds: z.number().nullable() }),
      sending: z.object(part),
    }),
  },
  async ({ log }) => {
    const health = await readHealth(database(), log)
    // Monitors look at the status code only, so that "down" must not be a 200.
    if (health.status === 'down') throw new PublicError(503, 'down', 'Sendonce cannot work right now.', health)
    return health
  },
)
