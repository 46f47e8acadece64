'use client'

import { Lock } from 'lucide-react'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { HOME } from '../session/safe-next.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { MessagePage } from '../shell/message-page.tsx'
import { buttonStyle } from '../ui/control/button-style.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { ActionDialog } from './action-dialog.tsx'
import { ActionsTable } from './actions-table.tsx'

/** What is set for a time besides emails, and what needs a decision of it. */
export function ActionsPage() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  if (!isAtLeast(workspace.role, 'admin'))
    return (
      <MessagePage
        isInShell
        icon={<Lock />}
        title="Scheduled actions are for admins and owners"
        sentence={`You are a member of ${workspace.name}. What a person of a campaign waits for stands on the campaign, with their path.`}
        actions={
          <IntentLink href={HOME} className={buttonStyle({ variant: 'primary' })}>
            Go to the overview
          </IntentLink>
        }
      />
    )
  const opened = params.get('action')
  return (
    <>
      <PageHeader
        title="Scheduled actions"
        description="Everything that happens at a time besides emails: starts and ends of campaigns, waits, time-outs, and what follows from events."
      />
      <ActionsTable />
      {opened && <ActionDialog key={opened} id={opened} onClose={() => change({ action: null })} />}
    </>
  )
}
