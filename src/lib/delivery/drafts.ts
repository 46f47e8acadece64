import { keepDrafts } from '#lib/email-scheduler/send/provider-drafts.ts'
import type { MailConnection } from '#lib/mail/transport.ts'
import type { Delivery } from './delivery.ts'
import { settleUnmarked } from './give-back.ts'
import type { Ready } from './set-aside.ts'

const PREPARE_MS_MAX = 15_000

/** `draftId` where the provider has made something of it already, which the hand-over only sends. */
export type Drafted = Ready & { draftId?: string }

/**
 * Lets the provider prepare what it keeps before it sends, each email on a connection of its own, and keeps the ids
 * before anything is marked. A provider that prepares nothing costs nothing. What was refused here was not handed over.
 */
export async function prepareDrafts(
  delivery: Delivery,
  ready: readonly Ready[],
  connections: readonly MailConnection[],
): Promise<Drafted[]> {
  if (!connections.some(({ prepare }) => prepare)) return [...ready]
  const made: (Ready & { draftId: string })[] = []
  await Promise.all(
    ready.map(async (one, index) => {
      const drafted = await connections[index]?.prepare?.(one.message, PREPARE_MS_MAX)
      if (drafted?.ok) made.push({ ...one, draftId: drafted.draftId })
      else if (drafted) await settleUnmarked(delivery, one.email, drafted.outcome)
    }),
  )
  if (made.length === 0) return []
  const ours = await keepDrafts(
    delivery.pool,
    made.map(({ email, draftId }) => ({ ...email, draftId })),
  )
  for (const { email } of made.filter((one) => !ours.has(one.email.id)))
    delivery.log.warn({ emailId: email.id, leaseToken: email.leaseToken }, 'the lease was lost before the mark')
  const kept = made.filter(({ email }) => ours.has(email.id))
  const notOurs = made.filter((one) => !kept.includes(one)).map(({ draftId }) => draftId)
  const replaced = [...ours.values()].filter((draftId) => draftId !== null)
  await Promise.all([...notOurs, ...replaced].map((draftId) => discard(delivery, connections, draftId)))
  return kept
}

/** What was prepared and is not to be sent after all. A draft that stays behind is never sent: no mark names its lease. */
export async function discardDrafts(
  delivery: Delivery,
  connections: readonly MailConnection[],
  drafted: readonly Drafted[],
): Promise<void> {
  await Promise.all(
    drafted.flatMap(({ draftId }) => (draftId === undefined ? [] : [discard(delivery, connections, draftId)])),
  )
}

async function discard({ log }: Delivery, connections: readonly MailConnection[], draftId: string): Promise<void> {
  try {
    await connections.find((connection) => connection.discard)?.discard?.(draftId, PREPARE_MS_MAX)
  } catch (error) {
    log.warn({ error, draftId }, 'a draft that is not to be sent could not be discarded')
  }
}
