'use client'

import Link from 'next/link'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { ApiError, api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { useRefreshProspects } from './use-prospects.ts'

interface AddPersonProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function AddPerson({ isOpen, onOpenChange }: AddPersonProps) {
  return (
    <Dialog title="Add a person" isOpen={isOpen} onOpenChange={onOpenChange} width="sm">
      <AddForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function AddForm({ onDone }: { onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshProspects()
  const { formProps, isRunning, error, errorAt, message } = useSubmit(async (values) => {
    const { email = '', firstName, lastName, company } = values
    const { prospect, revived } = await api('POST /api/prospects', {
      body: { email, firstName, lastName, company },
      workspaceId: workspace.id,
    })
    await refresh()
    onDone()
    toast.success(revived ? `${prospect.email} is back, with all that was sent before.` : `${prospect.email} is added.`)
  })
  const knownId = knownIn(error)
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      {knownId && (
        <Link href={`/prospects/${knownId}`} className="-mt-2 text-accent-text text-sm underline">
          Open the person who has this address
        </Link>
      )}
      <Field label="Address" error={errorAt('email')} isRequired>
        <Input name="email" type="email" autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name" error={errorAt('firstName')}>
          <Input name="firstName" autoComplete="off" />
        </Field>
        <Field label="Last name" error={errorAt('lastName')}>
          <Input name="lastName" autoComplete="off" />
        </Field>
      </div>
      <Field label="Company" error={errorAt('company')}>
        <Input name="company" autoComplete="off" />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Add
        </Button>
      </div>
    </form>
  )
}

/** Of whom has the address already. */
function knownIn(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== 'known') return null
  const { prospectId }: { prospectId?: unknown } = Object(error.details)
  return typeof prospectId === 'string' ? prospectId : null
}
