import { SendingCalendar } from './calendar.ts'
import type { SendingSettings } from './settings.ts'

/** Whether an email may leave at that moment. The window's end itself is outside. */
export function isWithinSendingWindow(settings: SendingSettings, date: Date): boolean {
  return new SendingCalendar(settings).isOpenAt(date.getTime())
}

/** The first moment at or after `fromDate` that lies in a window, or null where no weekday is chosen (`no-sending-day`). */
export function getNextSendingSlot(settings: SendingSettings, fromDate: Date): Date | null {
  const openMs = new SendingCalendar(settings).nextOpenMs(fromDate.getTime())
  return openMs === null ? null : new Date(openMs)
}
