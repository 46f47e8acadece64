'use client'

import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
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
import { nameOfPerson } from '../prospects/person-state.ts'
import { type ListedPerson, useRefreshProspects } from '../prospects/use-prospects.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import type { Person } from './use-person.ts'

interface MergeDialogProps {
  person: Person
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function MergeDialog({ person, isOpen, onOpenChange }: MergeDialogProps) {
  return (
    <Dialog
      title={`Who is the same person as ${nameOfPerson(person)}?`}
      description={`They become one: this page keeps ${person.email ?? 'its address'} and fills its gaps from the other. What waits for the other address is cancelled. This cannot be undone.`}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      width="sm"
    >
      <MergeForm person={person} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

const FOUND_MAX = 6

function MergeForm({ person, onDone }: { person: Person; onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshProspects()
  const [text, setText] = useState(person.lastName ?? '')
  const [loser, setLoser] = useState<ListedPerson | null>(null)
  const search = useDeferredValue(text.trim())
  const { data } = useQuery({
    queryKey: queryKeys.prospectsList(workspace.id, `merge:${search}`),
    queryFn: ({ signal }) =>
      api('GET /api/prospects', { query: { search, limit: FOUND_MAX }, workspaceId: workspace.id, signal }),
    enabled: search.length > 1,
  })
  const found = (data?.prospects ?? []).filter(({ id }) => id !== person.id)
  const { formProps, isRunning, message } = useSubmit(async () => {
    if (!loser) return
    const { cancelledEmails } = await api('POST /api/prospects/[id]/merge', {
      params: { id: person.id },
      body: { loserId: loser.id },
      workspaceId: workspace.id,
    })
    await refresh()
    onDone()
    toast.success(
      `Merged. ${counted(cancelledEmails, 'waiting email')} of ${loser.email} ${cancelledEmails === 1 ? 'was' : 'were'} cancelled.`,
    )
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Address, name or company">
        <Input value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">People who were found</legend>
        {found.map((one) => (
          <label key={one.id} className="flex min-h-9 cursor-pointer items-center gap-2.5 text-sm">
            <input
              type="radio"
              name="loser"
              className="size-4 accent-(--color-accent)"
              checked={loser?.id === one.id}
              onChange={() => setLoser(one)}
            />
            <span className="min-w-0 truncate">
              {one.email} <span className="text-muted">{[one.firstName, one.lastName].filter(Boolean).join(' ')}</span>
            </span>
          </label>
        ))}
        {search.length > 1 && data && found.length === 0 && (
          <p className="text-muted text-sm">Nobody else is found by that.</p>
        )}
      </fieldset>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="danger" isLoading={isRunning} disabled={!loser}>
          Merge for good
        </Button>
      </div>
    </form>
  )
}
