import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WITHOUT_BROKER } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { Wire } from '#tests/support/dispatch/wire.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const provider = testProvider({ dot: { delayMs: 20 } })
const EMAILS = scale({ short: 400, full: 5_000 })
const LOSSES = scale({ short: 4, full: 25 })
const CUTS = scale({ short: 2, full: 10 })
const WORKERS = scale({ short: 3, full: 10 })
/** Ten workers on two cores take their time. */
const PATIENT = scale({ short: {}, full: { leaseSeconds: 20, submitSeconds: 10 } })
const KILLS = scale({ short: 2, full: 10 })

/** Since this was asked for. */
function acceptedFromNow() {
  const before = provider.ledger().length
  const ledger = () => provider.ledger().slice(before)
  const count = () => ledger().filter(({ event }) => event === 'accepted').length
  return { ledger, reach: (least: number) => until(`${least} were accepted`, async () => count() >= least) }
}

describe.each(['rabbitmq', 'bullmq'] as const)('through %s', (name) => {
  const service = testService(name)

  test.skipIf(!IS_THERE[name])(
    'a broker that forgets everything, again and again, and breaks away loses no email and doubles none',
    async () => {
      const wire = await Wire.start(service.url)
      const dispatch = { ...service.settings, DISPATCH_URL: wire.url }
      const { ledger, reach } = acceptedFromNow()
      const campaign = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 6 })
      const workers = Array.from({ length: WORKERS }, () => ({ ...PATIENT, connections: 4, poolMax: 6, dispatch }))
      const faults = LOSSES + CUTS
      await withWorkers(db.url, workers, async () => {
        for (let fault = 1; fault <= faults; fault += 1) {
          await reach(Math.floor((EMAILS * fault) / (faults + 2)))
          if (fault % Math.ceil(faults / CUTS) === 0) {
            wire.cut()
            await sleep(500)
            wire.mend()
          } else await service.lose()
        }
        await untilAtRest(db.pool, [campaign.campaignId])
      })
      const findings = await verdict(db.pool, `the broker forgets (${name})`, [campaign.campaignId], ledger(), {
        losses: LOSSES,
        cuts: CUTS,
        workers: WORKERS,
      })
      // Unknown is what a mail server's answer came too late for, on a machine with many times the work that it has cores.
      expect(findings).toMatchObject({ emails: EMAILS, doubles: 0, sent: EMAILS - findings.unknown })
    },
  )
})

const TRANSPORTS = [
  { name: 'database', isThere: true, settings: () => WITHOUT_BROKER },
  { name: 'rabbitmq', isThere: IS_THERE.rabbitmq, settings: () => testService('rabbitmq').settings },
  { name: 'bullmq', isThere: IS_THERE.bullmq, settings: () => testService('bullmq').settings },
]

describe.each(TRANSPORTS)('by $name', ({ name, isThere, settings }) => {
  const dispatch = settings()

  test.skipIf(!isThere)('workers that are killed beside one that goes on lose no email and double none', async () => {
    const { ledger, reach } = acceptedFromNow()
    const campaign = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 6 })
    await withWorkers(db.url, [{ connections: 4, dispatch }], async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const worker = new Worker(db.url, { connections: 2, dispatch })
        try {
          await until(
            () => `the worker has sent something:\n${worker.log}`,
            async () => worker.log.includes('"msg":"settled"'),
          )
          await reach(Math.floor((EMAILS * kill) / (KILLS + 3)))
        } finally {
          await worker.kill()
        }
      }
      await untilAtRest(db.pool, [campaign.campaignId])
    })
    const findings = await verdict(db.pool, `killed beside another (${name})`, [campaign.campaignId], ledger(), {
      kills: KILLS,
    })
    expect(findings.sent + findings.unknown).toBe(EMAILS)
    expect(findings.unknown).toBeLessThanOrEqual(KILLS * 2)
  })
})
