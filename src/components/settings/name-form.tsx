'use client'

import { useSubmit } from '../form/use-submit.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Input } from '../ui/input.tsx'
import { toast } from '../ui/toast.tsx'
import { useChangeWorkspace, type WorkspaceDetails } from './use-change-workspace.ts'

export function NameForm({ workspace, mayChange }: { workspace: WorkspaceDetails; mayChange: boolean }) {
  const change = useChangeWorkspace(workspace.id)
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name }) => {
    const changed = await change({ name })
    toast.success(`The workspace is called ${changed.name}.`)
  })
  return (
    <Card title="Name">
      <form {...formProps} className="flex flex-col gap-3">
        <FormError message={message} />
        <Field
          label="Workspace name"
          hint="People see it in the menu at the top, and in the invitations they get."
          error={errorAt('name')}
          isRequired
        >
          <Input name="name" defaultValue={workspace.name} disabled={!mayChange} autoComplete="off" />
        </Field>
        {mayChange && (
          <Button type="submit" isLoading={isRunning} className="self-start">
            Save the name
          </Button>
        )}
      </form>
    </Card>
  )
}
