'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api } from '../api-client.ts'
import { apiWithProgress } from '../api-progress.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { LimitFields, limitsIn } from './limit-fields.tsx'
import { serviceOf } from './providers.ts'
import { ServerFields, serverIn } from './server-fields.tsx'
import { TestSteps, testFailureIn, useTestRun } from './test-steps.tsx'
import { type Mailbox, useRefreshMailboxes } from './use-mailboxes.ts'

interface EditMailboxProps {
  mailbox: Mailbox
  onClose: () => void
}

/** As it was when it was opened: later changes on the server must not move a form that is being filled in. */
export function EditMailbox({ mailbox, onClose }: EditMailboxProps) {
  const [opened] = useState(mailbox)
  return (
    <Dialog
      title={opened.address}
      description="A new server or password is tested before it is kept."
      isOpen
      onOpenChange={onClose}
    >
      <EditForm mailbox={opened} onClose={onClose} />
    </Dialog>
  )
}

function EditForm({ mailbox, onClose }: EditMailboxProps) {
  const { id, address, smtp } = mailbox
  const { workspace } = useSession()
  const refresh = useRefreshMailboxes()
  const [security, setSecurity] = useState(smtp?.security ?? 'STARTTLS')
  const [username, setUsername] = useState(smtp?.username ?? '')
  const { run, begin, reach, succeed, fail, forget } = useTestRun()

  const { formProps, isRunning, errorAt, message } = useSubmit(async (values) => {
    const server = smtp && serverIn(values, security)
    const isNewServer = server && smtp && differs(server, smtp)
    const limits = limitsIn(values)
    if (isNewServer) begin()
    else forget()
    try {
      await apiWithProgress(
        'PATCH /api/mailboxes/[id]',
        { params: { id }, body: { ...limits, ...(isNewServer && { smtp: server }) }, workspaceId: workspace.id },
        reach,
      )
    } catch (error) {
      const failure = testFailureIn(error)
      if (!failure) {
        forget()
        throw error
      }
      fail(failure)
      return
    }
    succeed()
    await refresh()
    onClose()
    if (isNewServer) toast.success(`${address} is connected with its new access.`)
    else toastWithUndo(`${address} is changed.`, undoing)
  })

  async function undoing(): Promise<string> {
    const { displayName, dailyLimit, rollingLimit } = mailbox
    await api('PATCH /api/mailboxes/[id]', {
      params: { id },
      body: { displayName, dailyLimit, rollingLimit },
      workspaceId: workspace.id,
    })
    await refresh()
    return `${address} is as it was.`
  }

  const path = { isEncrypted: security !== 'NONE', hasLogin: username.trim() !== '', sendsMessage: false }
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <LimitFields {...mailbox} errorAt={errorAt} />
      {smtp && (
        <ServerFields
          server={smtp}
          security={security}
          onSecurity={setSecurity}
          username={username}
          onUsername={setUsername}
          passwordHint={`Empty keeps the one that is there, unless the server changes. ${serviceOf(smtp.host)?.password ?? ''}`}
          errorAt={errorAt}
        />
      )}
      {run && <TestSteps run={run} path={path} />}
      <div className={dialogActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Save
        </Button>
      </div>
    </form>
  )
}

type Server = ReturnType<typeof serverIn>

function differs(wanted: Server, kept: NonNullable<Mailbox['smtp']>): boolean {
  const { host, port, security, username, password } = wanted
  return (
    password !== undefined ||
    host.trim().toLowerCase() !== kept.host ||
    port !== kept.port ||
    security !== kept.security ||
    username !== (kept.username ?? '')
  )
}
