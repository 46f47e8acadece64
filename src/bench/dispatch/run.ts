import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#cli/problem.ts'
import type { BrokerName } from '#lib/dispatch/broker.ts'
import { messageId, writeMessage } from '#lib/dispatch/message.ts'
import { openBroker } from '#lib/dispatch/open-broker.ts'
import { newId } from '#lib/platform/id.ts'
import { log } from '#lib/platform/log.ts'
import type { Contestant } from '../contestant.ts'
import { compare, print } from '../rounds.ts'
import { sendonceDrain } from '../send/ours.ts'
import { startBenchServer } from '../server.ts'
import { type BenchBroker, brokersHere, cleanUp, openBare } from './brokers.ts'

const IN_FLIGHT = 24
/** As many as a claim of a healthy mailbox publishes together. */
const AT_ONCE = 24

/** Draining the same queue without a broker and through each, and publishing beside the bare libraries. */
export async function benchDispatch(args: string[]): Promise<void> {
  const emails = Number(args[0] ?? 5_000)
  if (!Number.isInteger(emails) || emails < 100)
    throw new Problem('Say how many emails, at least 100: npm run bench -- dispatch 5000')
  const brokers = await brokersHere()
  const server = await startBenchServer()
  try {
    const drains = [
      sendonceDrain(server, IN_FLIGHT),
      ...brokers.map(({ settings }) => sendonceDrain(server, IN_FLIGHT, settings)),
    ]
    const median = await compare(drains, emails)
    const [bare] = drains
    for (const drain of drains.slice(1))
      if (bare) print(`  ${drain.name} beside no broker: ${(median(drain) / median(bare)).toFixed(2)}`)
    for (const broker of brokers) {
      const [ours, library] = [publishing(broker), publishingBare(broker)]
      const of = await compare([ours, library], emails)
      print(`  publishing beside bare ${LIBRARIES[broker.name]}: ${(of(ours) / of(library)).toFixed(2)}`)
    }
  } finally {
    for (const broker of brokers) await cleanUp(broker)
    await server.stop()
  }
}

const LIBRARIES: Record<BrokerName, string> = { rabbitmq: 'amqplib', bullmq: 'BullMQ' }

function bodies(count: number) {
  return Array.from({ length: count }, () => {
    const message = { kind: 'email', emailId: newId(), key: `${newId()}:${newId()}:1`, leaseToken: 1 } as const
    return { id: messageId(message), text: writeMessage(message) }
  })
}

function publishing(broker: BenchBroker): Contestant {
  const { name, url, queue } = broker
  return {
    name: `Sendonce publishes through ${name}, ${AT_ONCE} at a time`,
    async open(emails) {
      const opened = await openBroker(name, { url, queue, log })
      while (!opened.isUp) await sleep(20)
      const all = bodies(emails)
      return {
        async run() {
          for (let from = 0; from < emails; from += AT_ONCE) {
            const taken = await opened.publish('email', all.slice(from, from + AT_ONCE))
            if (!taken.every(Boolean)) throw new Error('not everything was taken')
          }
        },
        async close() {
          await opened.close()
          await cleanUp(broker)
        },
      }
    },
  }
}

function publishingBare(broker: BenchBroker): Contestant {
  return {
    name: `${LIBRARIES[broker.name]} alone, confirmed, ${AT_ONCE} at a time`,
    async open(emails) {
      const bare = await openBare(broker)
      const texts = bodies(emails).map(({ text }) => text)
      return {
        async run() {
          for (let from = 0; from < emails; from += AT_ONCE) await bare.publish(texts.slice(from, from + AT_ONCE))
        },
        async close() {
          await bare.close()
          await cleanUp(broker)
        },
      }
    },
  }
}
