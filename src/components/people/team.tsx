'use client'

import { UserPlus } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { useUrlParams } from '../use-url-params.ts'
import { InvitationsTable } from './invitations-table.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MembersTable } from './members-table.tsx'

export function Team() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const [isInviteOpen, setIsInviteOpen] = useState(false)
  const mayInvite = isAtLeast(workspace.role, 'admin')

  const lists = useRef<HTMLDivElement>(null)
  usePageKeys([
    ...rowKeys(lists),
    ...(mayInvite ? [{ keys: ['n'], label: 'Invite another', action: () => setIsInviteOpen(true) }] : []),
  ])

  function changeInviteOpen(isOpen: boolean) {
    setIsInviteOpen(isOpen)
    // From elsewhere the dialog is asked for in the address; closed once, it stays closed when the page is loaded anew.
    if (!isOpen && params.has('invite')) change({ invite: null }, 'replace')
  }

  return (
    <>
      <PageHeader
        title="Team"
        description={
          mayInvite
            ? `Who is in ${workspace.name}, and who is invited.`
            : `Who is in ${workspace.name}. Admins and owners invite people and change roles.`
        }
        actions={
          mayInvite && (
            <Button variant="primary" icon={<UserPlus />} onClick={() => changeInviteOpen(true)}>
              Invite
            </Button>
          )
        }
      />
      <div ref={lists}>
        <section>
          <h2 className="mb-2.5 font-semibold text-sm">Members</h2>
          <MembersTable />
        </section>
        {mayInvite && (
          <section className="mt-8">
            <h2 className="mb-2.5 font-semibold text-sm">Invitations</h2>
            <InvitationsTable />
          </section>
        )}
      </div>
      {mayInvite && <InviteDialog isOpen={isInviteOpen || params.has('invite')} onOpenChange={changeInviteOpen} />}
    </>
  )
}
