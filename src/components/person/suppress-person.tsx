'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api } from '../api-client.ts'
import { counted } from '../counted.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useRefreshProspects } from '../prospects/use-prospects.ts'
import { useSession } from '../session/session-context.tsx'
import type { Person } from './use-person.ts'

interface SuppressPersonProps {
  person: Person
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function SuppressPerson({ person, isOpen, onOpenChange }: SuppressPersonProps) {
  return (
    <Dialog
      title={`Suppress ${person.email ?? 'this address'}?`}
      description="No campaign email goes to this address any more. What waits for it is cancelled, and stays so when the address is taken off the list again."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      width="sm"
    >
      <SuppressForm value={person.email ?? ''} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function SuppressForm({ value, onDone }: { value: string; onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshProspects()
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ reason }) => {
    const answer = await api('POST /api/suppressions', { body: { value, reason }, workspaceId: workspace.id })
    await refresh()
    onDone()
    const cancelled = counted(answer.cancelledEmails, 'waiting email is', 'waiting emails are')
    toast.success(`${value} is suppressed. ${cancelled} cancelled.`)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message ?? errorAt('value')} />
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
