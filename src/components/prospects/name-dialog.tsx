'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { useSubmit } from '../form/use-submit.ts'

interface NameDialogProps {
  title: string
  description?: string
  /** What is there to change; empty for something new. */
  name?: string
  submitLabel: string
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  onName: (name: string) => Promise<void>
}

/** Asks for a name: of a new list, of a segment, or another one for either. */
export function NameDialog({ title, description, isOpen, onOpenChange, ...form }: NameDialogProps) {
  return (
    <Dialog title={title} description={description} isOpen={isOpen} onOpenChange={onOpenChange} width="sm">
      <NameForm {...form} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function NameForm({
  name = '',
  submitLabel,
  onName,
  onDone,
}: Pick<NameDialogProps, 'name' | 'submitLabel' | 'onName'> & { onDone: () => void }) {
  const { formProps, isRunning, errorAt, message } = useSubmit(async (values) => {
    await onName(values.name ?? '')
    onDone()
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Name" error={errorAt('name')} isRequired>
        <Input name="name" defaultValue={name} autoComplete="off" maxLength={200} />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}
