import { sendingSettings } from '#lib/contract/settings.ts'
import { holidayPlaces } from '#lib/guardrails/public-holidays.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(sendingSettings.holidayPlaces, async () => ({ countries: await holidayPlaces() }))
