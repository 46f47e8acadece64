'use client'

import { requestApi } from '../api-client.ts'
import { TimeZoneSelect } from '../form/time-zone-select.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Input } from '../ui/input.tsx'
import { leaveFor } from './leave-for.ts'
import { HOME } from './safe-next.ts'

export function CreateWorkspaceForm({ onCancel }: { onCancel?: () => void }) {
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name, timeZone }) => {
    const { id } = await requestApi<{ id: string }>('/api/workspaces', { method: 'POST', body: { name, timeZone } })
    await requestApi('/api/session', { method: 'PATCH', body: { workspaceId: id } })
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
