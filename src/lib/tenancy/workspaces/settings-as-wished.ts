import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { readSendingForm, type SendingWishes } from './change-sending-settings.ts'
import { type ZoneChange, zoneChange } from './change-workspace.ts'

/** What would hold once these wishes were saved: another zone waits for its midnight. */
export async function settingsAsWished(
  sql: Sql,
  workspaceId: string,
  wishes: SendingWishes & { timeZone: string },
): Promise<SendingWishes & { timeZone: string } & ZoneChange> {
  const { timeZone, nextTimeZone, nextTimeZoneAt } = await readSendingForm(sql, workspaceId)
  const isSame = wishes.timeZone === (nextTimeZone ?? timeZone)
  const change = isSame ? { nextTimeZone, nextTimeZoneAt } : zoneChange(timeZone, wishes.timeZone, await appNow(sql))
  return { ...wishes, timeZone, ...change }
}
