'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { api } from '../api-client.ts'
import { TimeZoneSelect } from '../form/time-zone-select.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { leaveFor } from './leave-for.ts'
import { HOME } from './safe-next.ts'

export function CreateWorkspaceForm({ onCancel }: { onCancel?: () => void }) {
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name = '', timeZone }) => {
    const { id } = await api('POST /api/workspaces', { body: { name, timeZone } })
    await api('PATCH /api/session', { body: { workspaceId: id } })
    await leaveFor(HOME)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Name" hint="Your company, team or client." error={errorAt('name')} isRequired>
        <Input name="name" autoComplete="off" />
      </Field>
      <Field label="Time zone" hint="Sending windows and dates go by its clock." error={errorAt('timeZone')}>
        <TimeZoneSelect name="timeZone" />
      </Field>
      <div className="flex flex-col-reverse gap-2 pt-1 pb-3 sm:flex-row sm:justify-end">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Create workspace
        </Button>
      </div>
    </form>
  )
}
