import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { draftOf } from '#components/sending/draft.ts'
import { SendingSettings } from '#components/sending/sending-settings.tsx'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getMailboxes } from '../../../api/mailboxes/route.ts'
import { GET as getLimits } from '../../../api/settings/sending/limits/route.ts'
import { GET as getSettings } from '../../../api/settings/sending/route.ts'
import { GET as getWorkspace } from '../../../api/workspaces/[id]/route.ts'
import { readVisit, type Visit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'Sending settings' }

export default async function SendingSettingsPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <SendingSettings />
  const { id } = visit.workspace
  const key = queryKeys.sendingSettings(id)
  const asked = [
    { queryKey: key, data: settingsAndDraft(visit, id) },
    { queryKey: [...key, 'limits'], data: firstAnswer(getLimits, visit) },
    { queryKey: queryKeys.mailboxes(id), data: firstAnswer(getMailboxes, visit) },
  ]
  return (
    <FirstAnswers asked={asked}>
      <SendingSettings />
    </FirstAnswers>
  )
}

/** As `useSendingDraft` keeps it. */
async function settingsAndDraft(visit: Visit, id: string) {
  const [settings, workspace] = await Promise.all([
    firstAnswer(getSettings, visit),
    firstAnswer(getWorkspace, visit, { params: { id } }),
  ])
  return settings && workspace && { settings, draft: draftOf(settings, workspace.postalAddress) }
}
