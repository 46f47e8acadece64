import { DONE } from '#lib/contract/shared.ts'
import { system } from '#lib/contract/system.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { askForRemovalOfDemo, readDemoLogin } from '#lib/platform/demo.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const POST = workspaceRoute(system.removeDemo, async () => {
  if (!(await readDemoLogin())?.isHere) throw notFound()
  await askForRemovalOfDemo()
  return DONE
})
