'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#components/api-client.ts'
import { useSubmit } from '#components/form/use-submit.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'

interface TestSendDialogProps {
  title: string
  send: (mailboxId: string) => Promise<{ to: string; subject: string }>
  onClose: () => void
}

/** An email as it stands in the editor, sent to the person who asks and to nobody else. */
export function TestSendDialog({ title, send, onClose }: TestSendDialogProps) {
  const { workspace, person } = useSession()
  const [chosen, setChosen] = useState<string | null>(null)
  const { data } = useQuery({
    queryKey: queryKeys.mailboxes(workspace.id),
    queryFn: ({ signal }) => api('GET /api/mailboxes', { workspaceId: workspace.id, signal }),
  })
  const mailboxes = (data?.mailboxes ?? []).filter(({ status }) => status === 'CONNECTED')
  const mailboxId = chosen ?? mailboxes[0]?.id
  const { formProps, isRunning, message } = useSubmit(async () => {
    if (!mailboxId) return
    const { to, subject } = await send(mailboxId)
    onClose()
    toast.success(`“${subject}” is on its way to ${to}.`)
  })
  return (
    <Dialog
      title={title}
      description={`It goes to ${person.email}, and to nobody else. It counts towards nothing.`}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      width="sm"
    >
      <form {...formProps} className="flex flex-col gap-4">
        <FormError message={message} />
        {data && mailboxes.length === 0 ? (
          <Callout tone="warning">No mailbox is connected. Connect one, then a test can be sent through it.</Callout>
        ) : (
          <Field label="From">
            <Select
              options={mailboxes.map(({ id, address }) => ({ value: id, label: address }))}
              value={mailboxId ?? ''}
              onValueChange={setChosen}
            />
          </Field>
        )}
        <div className="flex flex-col-reverse gap-2 pb-3 sm:flex-row sm:justify-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isLoading={isRunning} disabled={!mailboxId}>
            Send the test
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
