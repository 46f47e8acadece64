import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { areDecided, decisionsOf, makeDueTimeouts } from '#tests/support/data/due-actions.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { Wire } from '#tests/support/dispatch/wire.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { countStates, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const provider = testProvider()
const DUE = scale({ short: 300, full: 5_000 })
/** Each takes a quarter of a minute while a broker is away. */
const TICKS = scale({ short: 3, full: 12 })

const residentMb = ({ process: { pid } }: Worker) =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1_024)

const mostOf = (samples: readonly number[]) => Math.max(...samples)

describe.each(['rabbitmq', 'bullmq'] as const)('while %s is away', (name) => {
  const service = testService(name)

  test.skipIf(!IS_THERE[name])(
    'nothing is claimed and memory stays flat, however much is due; when it is back, all goes',
    {
      timeout: 3_600_000,
    },
    async () => {
      const wire = await Wire.start(service.url)
      wire.cut()
      const campaign = await makeDueTimeouts(db, DUE)
      const sending = await makeSending(db.pool, provider.port, { prospects: DUE })
      const worker = new Worker(db.url, { dispatch: { ...service.settings, DISPATCH_URL: wire.url } })
      try {
        const ticks = () => worker.log.split('"msg":"tick"').length - 1
        await until('a first tick has passed', async () => ticks() >= 1)
        const samples: number[] = []
        while (ticks() < TICKS) {
          samples.push(residentMb(worker))
          await sleep(500)
        }
        const third = Math.floor(samples.length / 3)
        process.stdout.write(
          `RSS with ${name} away, ${DUE} actions and ${DUE} emails due, ${samples.length / 2} s: first third at most ${mostOf(samples.slice(0, third))} MB, last third at most ${mostOf(samples.slice(-third))} MB\n`,
        )
        expect(mostOf(samples.slice(-third))).toBeLessThan(1.15 * mostOf(samples.slice(0, third)))
        const { rows } = await db.pool.query(
          `SELECT DISTINCT status, lease_token AS token FROM scheduled_actions WHERE campaign_id = $1 AND type = 'TIMEOUT'`,
          [campaign.campaignId],
        )
        expect(rows).toEqual([{ status: 'PENDING', token: 0 }])
        expect(await countStates(db.pool, sending.campaignId)).toEqual({ SCHEDULED: DUE })
        wire.mend()
        await until(() => `all are decided:\n${worker.log.slice(-3_000)}`, areDecided(db.pool, campaign), 900_000)
        await untilAtRest(db.pool, [sending.campaignId], 900_000)
        expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: DUE, undecided: 0, most: 1 })
        expect(await countStates(db.pool, sending.campaignId)).toEqual({ SENT: DUE })
      } finally {
        await worker.kill()
      }
    },
  )
})
