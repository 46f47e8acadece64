import type { UnknownAttempt } from '#lib/email-scheduler/evidence.ts'
import { isRefusal } from '#lib/email-scheduler/outcome.ts'
import { seenBy } from '#lib/email-scheduler/send/moment.ts'
import {
  closeDrafts,
  closeSentDrafts,
  type DraftLook,
  type LeftDraft,
  takeDraftLooks,
} from '#lib/email-scheduler/send/provider-drafts.ts'
import { askProviderOf, kindsWithDrafts, type Providers } from '#lib/mail/provider.ts'
import type { Delivery } from './delivery.ts'

const AT_ONCE = 20
const REMOVE_MS_MAX = 15_000

/**
 * Asks providers about emails whose outcome is unknown, and clears away drafts that lost workers left behind: a few at a
 * time, each in a permit of its own like a hand-over, so that a provider never has more of us at once. What is learned is
 * settled until it commits, since a removed draft proves something once only. Answers how many emails it settled.
 */
export async function gatherEvidence(delivery: Delivery, providers: Providers): Promise<number> {
  const { pool, beginning } = delivery
  const kinds = kindsWithDrafts(providers)
  if (kinds.length === 0 || beginning.leftMs() === 0) return 0
  await closeSentDrafts(pool)
  const looks = await takeDraftLooks(pool, kinds, AT_ONCE, seenBy(pool))
  const settled = await Promise.all(
    looks.map((look) => inPermit(delivery, look, () => lookAfter(delivery, providers, look))),
  )
  return settled.filter(Boolean).length
}

async function inPermit(delivery: Delivery, look: DraftLook, work: () => Promise<boolean>): Promise<boolean> {
  const { mailboxId } = look.kind === 'ask' ? look.attempt : look.draft
  const permit = await delivery.permits.take({ mailboxId, standing: delivery.lanes.standing(mailboxId) }, 1)
  try {
    // Asked after the wait, and right before the provider is.
    return delivery.beginning.leftMs() > 0 && (await work())
  } catch (error) {
    delivery.log.warn({ error, mailboxId }, 'looking after a draft failed; it is looked after again later')
    return false
  } finally {
    permit.giveBack(1)
  }
}

function lookAfter(delivery: Delivery, providers: Providers, look: DraftLook): Promise<boolean> {
  switch (look.kind) {
    case 'ask':
      return ask(delivery, providers, look.attempt)
    case 'remove':
      return remove(delivery, providers, look.draft)
  }
}

async function ask({ pool, log, settling }: Delivery, providers: Providers, attempt: UnknownAttempt): Promise<boolean> {
  const outcome = await askProviderOf(providers)(attempt)
  const said = outcome.kind === 'unknown' || isRefusal(outcome) ? outcome.code : undefined
  log.info(
    { emailId: attempt.id, leaseToken: attempt.leaseToken, outcome: outcome.kind, said },
    'the provider was asked',
  )
  if (outcome.kind === 'unknown') return false
  await settling.add({ ...attempt, marked: true, outcome })
  await closeDrafts(pool, [attempt])
  return true
}

async function remove({ pool, log }: Delivery, providers: Providers, draft: LeftDraft): Promise<boolean> {
  const removed = await providers[draft.mailboxKind]?.drafts?.remove(draft, REMOVE_MS_MAX)
  log.info({ emailId: draft.id, leaseToken: draft.leaseToken, removed }, 'a draft that nobody sends is cleared away')
  await closeDrafts(pool, [draft])
  return false
}
