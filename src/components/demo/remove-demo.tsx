'use client'

import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { ConfirmDialog } from '#components/ui/overlay/confirm-dialog.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { Card } from '../ui/card.tsx'

/** Only in the demo. Its server ends while the page is open, so the page says where to go on. */
export function RemoveDemo({ mainUrl }: { mainUrl: string }) {
  const { workspace } = useSession()
  const [isGoing, setIsGoing] = useState(false)
  return (
    <Card title="The demo" description="Nothing in it is real, and no email of it has left this machine.">
      {isGoing ? (
        <p role="status" className="text-sm">
          It is being removed, and this page answers no more. Go on at{' '}
          <a href={mainUrl} className="text-accent-text underline underline-offset-4">
            {mainUrl}
          </a>
          .
        </p>
      ) : isAtLeast(workspace.role, 'owner') ? (
        <ConfirmDialog
          title="Remove the demo?"
          description="Its people, emails, campaigns and logins go, with their whole database. Your own workspace beside it stays as it is. It cannot be brought back; npm start -- --demo makes a new one."
          confirmLabel="Remove the demo"
          trigger={<Button icon={<Trash2 aria-hidden />}>Remove the demo…</Button>}
          onConfirm={async () => {
            await api('POST /api/demo/removal', { workspaceId: workspace.id })
            setIsGoing(true)
          }}
          errorOf={messageOf}
        />
      ) : (
        <p className="text-muted text-sm">Olivia, the owner, can remove it; so does npm run demo -- remove.</p>
      )}
    </Card>
  )
}
