'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { type Suppression, useRefreshSuppressions } from './use-suppressions.ts'

interface RemoveSuppressionProps {
  /** Null: none is to be removed. */
  suppression: Suppression | null
  onClose: () => void
}

/** Asks why one is taken off the list; the reason stands in the audit log. What a person added can be put back. */
export function RemoveSuppression({ suppression, onClose }: RemoveSuppressionProps) {
  return (
    <Dialog
      title={`Take ${suppression?.value ?? 'this address'} off the list?`}
      description={suppression && warningFor(suppression)}
      isOpen={suppression !== null}
      onOpenChange={onClose}
      width="sm"
    >
      {suppression && <RemoveForm suppression={suppression} onDone={onClose} />}
    </Dialog>
  )
}

function warningFor({ value, source }: Suppression): string {
  if (value === null)
    return 'The person was erased, and the address is not kept here: it can be suppressed again only by a person who knows it.'
  if (source === 'PERSON') return 'Campaigns may write to it again. What was cancelled stays cancelled.'
  return 'A server said that this address does not exist. Another email to it will most likely bounce again, and bounces harm the reputation of your mailboxes.'
}

function RemoveForm({ suppression, onDone }: { suppression: Suppression; onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshSuppressions()
  const { id, value, source } = suppression
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ reason }) => {
    const body = reason ? { reason } : {}
    await api('DELETE /api/suppressions/[id]', { params: { id }, body, workspaceId: workspace.id })
    await refresh()
    onDone()
    const done = `${value ?? 'The address'} is off the list.`
    if (value === null || source !== 'PERSON') return toast.success(done)
    toastWithUndo(done, async () => {
      const again = { value, reason: suppression.reason }
      await api('POST /api/suppressions', { body: again, workspaceId: workspace.id })
      await refresh()
      return `${value} is suppressed again.`
    })
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field
        label="Why"
        hint="Stands in the audit log, which is kept for ever: name nobody in it."
        error={errorAt('reason')}
      >
        <Input name="reason" autoComplete="off" maxLength={200} />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="danger" isLoading={isRunning}>
          Take off the list
        </Button>
      </div>
    </form>
  )
}
