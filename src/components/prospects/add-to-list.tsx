'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import type { List } from './use-audience.ts'

type Chosen = Pick<List, 'id' | 'name'>

interface AddToListProps {
  lists: readonly List[]
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  onChoose: (list: Chosen) => Promise<void>
}

/** Into a list that is there, or a new one. */
export function AddToList({ isOpen, onOpenChange, ...form }: AddToListProps) {
  return (
    <Dialog title="Add to a list" isOpen={isOpen} onOpenChange={onOpenChange} width="sm">
      <ChooseForm {...form} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

const NEW = 'new'

function ChooseForm({ lists, onChoose, onDone }: Pick<AddToListProps, 'lists' | 'onChoose'> & { onDone: () => void }) {
  const { workspace } = useSession()
  const [listId, setListId] = useState(lists[0]?.id ?? NEW)
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name = '' }) => {
    const known = lists.find(({ id }) => id === listId)
    const list = known ?? (await api('POST /api/lists', { body: { name }, workspaceId: workspace.id }))
    onDone()
    await onChoose(list)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      {lists.length > 0 && (
        <Field label="List">
          <Select
            value={listId}
            onValueChange={setListId}
            options={[
              ...lists.map(({ id, name }) => ({ value: id, label: name })),
              { value: NEW, label: 'A new list…' },
            ]}
          />
        </Field>
      )}
      {listId === NEW && (
        <Field label="Name of the new list" error={errorAt('name')} isRequired>
          <Input name="name" autoComplete="off" maxLength={200} />
        </Field>
      )}
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Add
        </Button>
      </div>
    </form>
  )
}
