'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { useRefreshSuppressions } from './use-suppressions.ts'

interface AddSuppressionProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function AddSuppression({ isOpen, onOpenChange }: AddSuppressionProps) {
  return (
    <Dialog
      title="Suppress an address or a domain"
      description="No campaign email goes there any more, from this moment on. What waits for it is cancelled."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      width="sm"
    >
      <AddForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function AddForm({ onDone }: { onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshSuppressions()
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ value = '', reason }) => {
    const answer = await api('POST /api/suppressions', { body: { value, reason }, workspaceId: workspace.id })
    await refresh()
    onDone()
    const { suppression, added, cancelledEmails } = answer
    if (!added) toast.success(`${suppression.value} was on the list already.`)
    else toast.success(`${suppression.value} is suppressed. ${cancelledSentence(cancelledEmails)}`)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field
        label="Address or domain"
        hint="A domain includes everything below it: example.com, and mail.example.com too."
        error={errorAt('value')}
        isRequired
      >
        <Input name="value" autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field label="Reason" hint="For the others here; the reader never sees it." error={errorAt('reason')}>
        <Input name="reason" autoComplete="off" />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Suppress
        </Button>
      </div>
    </form>
  )
}

function cancelledSentence(count: number): string {
  if (count === 0) return 'Nothing waited for it.'
  return `${count.toLocaleString('en')} ${count === 1 ? 'email that waited is' : 'emails that waited are'} cancelled.`
}
