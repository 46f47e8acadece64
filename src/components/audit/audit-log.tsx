'use client'

import { Lock } from 'lucide-react'
import Link from 'next/link'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { HOME } from '../session/safe-next.ts'
import { useSession } from '../session/session-context.tsx'
import { MessagePage } from '../shell/message-page.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { AuditEntries } from './audit-entries.tsx'
import { ExportButton } from './export-button.tsx'

export function AuditLog() {
  const { workspace } = useSession()
  if (!isAtLeast(workspace.role, 'admin')) {
    return (
      <MessagePage
        isInShell
        icon={<Lock />}
        title="The audit log is for admins and owners"
        sentence={`You are a member of ${workspace.name}. If you need to see who did what, ask an owner to make you an admin.`}
        actions={
          <>
            <Link href="/team" className={buttonStyle()}>
              See who the owners are
            </Link>
            <Link href={HOME} className={buttonStyle({ variant: 'primary' })}>
              Go to the overview
            </Link>
          </>
        }
      />
    )
  }
  return (
    <>
      <PageHeader
        title="Audit log"
        description={`What was done in ${workspace.name}, newest first. Nobody can change it.`}
        actions={<ExportButton />}
      />
      <AuditEntries />
    </>
  )
}
