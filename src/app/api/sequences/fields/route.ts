import { readFieldCoverage } from '#lib/audience/field-coverage.ts'
import { sequences } from '#lib/contract/sequences.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(sequences.fields, ({ workspace }) => readFieldCoverage(database(), workspace.id))
