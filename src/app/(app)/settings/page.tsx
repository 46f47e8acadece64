import type { Metadata } from 'next'
import { RemoveDemo } from '#components/demo/remove-demo.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { WorkspaceSettings } from '#components/settings/workspace-settings.tsx'
import { readDemoLogin } from '#lib/platform/demo.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getWorkspace } from '../../api/workspaces/[id]/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'

export const metadata: Metadata = { title: 'Workspace settings' }

export default async function SettingsPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <WorkspaceSettings />
  const { id } = visit.workspace
  const asked = [{ queryKey: queryKeys.workspace(id), data: firstAnswer(getWorkspace, visit, { params: { id } }) }]
  const demo = await readDemoLogin()
  return (
    <FirstAnswers asked={asked}>
      <WorkspaceSettings />
      {demo?.isHere && (
        <div className="mt-4 max-w-2xl">
          <RemoveDemo mainUrl={demo.mainUrl} />
        </div>
      )}
    </FirstAnswers>
  )
}
