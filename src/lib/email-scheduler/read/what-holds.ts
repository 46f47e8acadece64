import { bouncedAmong, suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import {
  type EmailFacts,
  guardFacts,
  readEmailFacts,
  readFactsOfMailboxes,
} from '#lib/email-scheduler/send/guard-facts.ts'
import { readUseOfMailboxes } from '#lib/email-scheduler/send/quota-use.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { isWaiting } from '#lib/email-scheduler/states.ts'
import { longestHold } from '#lib/guardrails/why-not-now.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailRow } from './email-response.ts'

/** Why an email waits, and until when where that passes by itself. */
export type Holding = { sentence: string; until: Date | null }

const DUE: Holding = { sentence: 'It is due, and waits for its turn at the mailbox.', until: null }
const LACKS_A_FIELD: Holding = {
  sentence: 'The recipient lacks a field that its text needs; fill it in, or give the text a fallback.',
  until: null,
}

/**
 * Why each email of a page waits: the guards that will be asked when it goes, over facts that are read for the whole page
 * at once, of however many mailboxes.
 */
export async function whatHolds(
  sql: Sql,
  workspaceId: string,
  rows: readonly EmailRow[],
): Promise<Map<string, Holding>> {
  const waiting = rows.filter(({ status }) => isWaiting(status))
  const settings = waiting.length > 0 && (await readSendingSettings(sql, workspaceId))
  if (!settings) return new Map()
  const calendar = calendarOf(settings)
  const facts = await readEmailFacts(
    sql,
    workspaceId,
    waiting.map(({ id }) => id),
  )
  const byId = new Map(facts.map((one) => [one.id, one]))
  const suppressed = await readSuppressed(sql, workspaceId, waiting, facts)
  const held = new Map<string, Holding>()
  const byMailbox = Map.groupBy(waiting, (row) => row.mailboxId)
  const mailboxes = await readFactsOfMailboxes(sql, [...byMailbox.keys()])
  const now = mailboxes[0]?.now
  if (!now) return held
  const usedBy = await readUseOfMailboxes(sql, workspaceId, mailboxes, calendar, now)
  for (const mailbox of mailboxes) {
    const used = usedBy.get(mailbox.id)
    if (!used) continue
    const { isHeld } = mailbox
    const those = byMailbox.get(mailbox.id) ?? []
    for (const { id, kind, status, readyAt, blocker } of those) {
      const email = byId.get(id)
      if (!email) continue
      const inQueue = { isHeld, isRetry: status === 'RETRY_SCHEDULED', readyAt }
      if (blocker === 'merge-fields-complete') held.set(id, LACKS_A_FIELD)
      else
        held.set(id, longestHold(guardFacts(email, { now, calendar, mailbox, used, suppressed }), inQueue, kind) ?? DUE)
    }
  }
  return held
}

/** By prospect; of an email that has none, whether the address that it goes to has bounced. */
async function readSuppressed(
  sql: Sql,
  workspaceId: string,
  waiting: readonly EmailRow[],
  facts: readonly EmailFacts[],
): Promise<Parameters<typeof guardFacts>[1]['suppressed']> {
  const prospects = [...new Set(facts.flatMap(({ prospectId }) => prospectId ?? []))]
  const suppressed = new Map(await suppressedProspects(sql, workspaceId, prospects))
  const alone = waiting.filter(({ prospectId, recipient }) => prospectId === null && recipient !== null)
  const bounced = await bouncedAmong(
    sql,
    workspaceId,
    alone.map(({ recipient }) => recipient ?? ''),
  )
  for (const { id, recipient } of alone) if (bounced.has(recipient ?? '')) suppressed.set(id, 'ADDRESS')
  return suppressed
}
