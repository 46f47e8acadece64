import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { readDashboard } from '#lib/worker/dashboard.ts'
import { workspaceRoute } from '../../workspace-route.ts'

const count = z.number()

export const GET = workspaceRoute(
  {
    summary:
      'How many emails wait, failed or are unknown; what today has used; which mailboxes stand; whether ticks come.',
    role: 'member',
    output: z.object({
      pendingEmailCount: count,
      failedEmailCount: count,
      unknownEmailCount: count,
      countedMax: count,
      today: z.object({ date: z.string(), sent: count, reserved: count, quota: count }).nullable(),
      mailboxes: z.array(z.object({ id: z.string(), address: z.string(), status: z.string(), sentence: z.string() })),
      lastTick: z.object({
        ok: z.boolean(),
        sentence: z.string(),
        at: z.date().nullable(),
        ageSeconds: z.number().nullable(),
      }),
      hold: z.object({ isHeld: z.boolean(), since: z.date().nullable(), sentence: z.string() }),
    }),
  },
  ({ workspace }) => readDashboard(database(), workspace.id),
)
