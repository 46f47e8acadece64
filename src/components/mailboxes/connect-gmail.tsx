'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { GmailWishes, type Wish } from './gmail-wishes.tsx'
import type { Mailbox } from './use-mailboxes.ts'

interface ConnectGmailProps {
  /** The one to be connected again; a new one without. */
  mailbox?: Mailbox | undefined
  isSetUp: boolean
  onClose: () => void
}

/** Says what Google will ask for and why, before anybody is sent there. */
export function ConnectGmail({ mailbox, isSetUp, onClose }: ConnectGmailProps) {
  const { workspace } = useSession()
  const [wish, setWish] = useState<Wish>(mailbox?.gmail?.sends === 'directly' ? 'send' : 'drafts')
  const [problem, setProblem] = useState<string | null>(null)
  const [isLeaving, setIsLeaving] = useState(false)

  async function goToGoogle() {
    setIsLeaving(true)
    setProblem(null)
    try {
      const { url } = await api('POST /api/mailboxes/gmail/connect', {
        body: { wish, ...(mailbox && { mailboxId: mailbox.id }) },
        workspaceId: workspace.id,
      })
      window.location.assign(url)
    } catch (error) {
      setProblem(messageOf(error))
      setIsLeaving(false)
    }
  }

  return (
    <Dialog
      title={mailbox ? `Connect ${mailbox.address} again` : 'Connect Gmail'}
      description="You sign in at Google and grant what is told here. Your password stays there, and you can take the permission back at any time."
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{isSetUp ? 'Cancel' : 'Close'}</Button>
          {isSetUp && (
            <Button variant="primary" isLoading={isLeaving} onClick={goToGoogle}>
              Continue to Google
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4 py-1">
        <FormError message={problem} />
        {isSetUp ? (
          <GmailWishes wish={wish} onWish={setWish} />
        ) : (
          <Callout title="This installation has no Google project yet">
            Whoever runs it makes one, which takes a quarter of an hour, and sets GOOGLE_CLIENT_ID and
            GOOGLE_CLIENT_SECRET; src/decisions/gmail.md says how. Until then, a Google mailbox can be added by its SMTP
            server and an app password.
          </Callout>
        )}
      </div>
    </Dialog>
  )
}
