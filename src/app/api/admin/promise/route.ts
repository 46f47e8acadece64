import { system } from '#lib/contract/system.ts'
import { readPromise } from '#lib/operations/promise/read-promise.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(system.promise, ({ workspace }) => readPromise(database(), workspace.id))
