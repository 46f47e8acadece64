import { system } from '#lib/contract/system.ts'
import { readHeld } from '#lib/operations/held.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(system.held, (asking) => readHeld(database(), asking))
