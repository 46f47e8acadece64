import { listCustomFieldNames } from '#lib/audience/custom-field-names.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(prospects.fields, async ({ workspace }) => ({
  fields: await listCustomFieldNames(database(), workspace.id),
}))
