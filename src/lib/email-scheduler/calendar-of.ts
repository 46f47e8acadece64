import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'

const KEPT_MAX = 200
const kept = new Map<string, SendingCalendar>()

/**
 * The calendar of these settings. Making one reckons with time zones, which is slow beside a claim or a mark; the same
 * settings make the same calendar, and it holds no clock.
 */
export function calendarOf(settings: SendingSettings): SendingCalendar {
  const key = JSON.stringify(settings)
  const found = kept.get(key)
  if (found) return found
  const calendar = new SendingCalendar(settings)
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '')
  kept.set(key, calendar)
  return calendar
}
