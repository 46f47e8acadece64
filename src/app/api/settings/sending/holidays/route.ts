import { sendingSettings } from '#lib/contract/settings.ts'
import { publicHolidays } from '#lib/guardrails/public-holidays.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(sendingSettings.holidays, async ({ query: { country, region, year } }) => {
  const holidays = await publicHolidays(country, region, year)
  if (!holidays) throw new PublicError(404, 'unknown-place', 'No public holidays are known of this country or region.')
  return { holidays }
})
