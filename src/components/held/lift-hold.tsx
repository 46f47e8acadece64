'use client'

import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { api } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { type Held, useHeldGroups, useRefreshHeld } from './use-held.ts'

/** On an owner's word. It reaches real people, so it says first what it does. */
export function LiftHold({ held }: { held: Held }) {
  const { workspace } = useSession()
  const { data } = useHeldGroups(workspace.id, null)
  const refresh = useRefreshHeld(workspace.id)
  const { ask, dialog } = useConfirm()
  const { since } = held
  if (since === null) return null
  const total = data?.total
  const lift = () =>
    ask({
      title: 'Let sending go on?',
      description: (
        <>
          {total && total.emails > 0 ? (
            <>
              {total.emails.toLocaleString('en')} {total.emails === 1 ? 'email' : 'emails'} of {workspace.name} may have
              been sent already
              {total.from && total.to && (
                <>
                  {' '}
                  (due from <DateTime instant={total.from} timeZone={workspace.timeZone} /> to{' '}
                  <DateTime instant={total.to} timeZone={workspace.timeZone} />)
                </>
              )}
              . Those that still wait will be sent, also where they were sent before: those people get them twice.
            </>
          ) : (
            'Nothing that waits could have been sent in between.'
          )}{' '}
          All workspaces of this installation begin to send again within seconds. This cannot be taken back for what has
          gone out by then.
        </>
      ),
      confirmLabel: 'Let sending go on',
      run: async () => {
        await api('POST /api/admin/held/lift', { body: { since }, workspaceId: workspace.id })
        await refresh()
        toast.success('Sending goes on.')
      },
    })
  return (
    <>
      <Button variant="danger" onClick={lift} disabled={!total}>
        Let sending go on…
      </Button>
      {dialog}
    </>
  )
}
