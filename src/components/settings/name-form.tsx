'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { useSubmit } from '../form/use-submit.ts'
import { Card } from '../ui/card.tsx'
import { useChangeWorkspace, type WorkspaceDetails } from './use-change-workspace.ts'

export function NameForm({ workspace, mayChange }: { workspace: WorkspaceDetails; mayChange: boolean }) {
  const change = useChangeWorkspace(workspace.id)
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name }) => {
    const changed = await change({ name })
    toastWithUndo(`The workspace is called ${changed.name}.`, async () => {
      const before = await change({ name: workspace.name })
      return `The workspace is called ${before.name} again.`
    })
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
