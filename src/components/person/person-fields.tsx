'use client'

import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { InlineField } from '../form/inline-field.tsx'
import { NameDialog } from '../prospects/name-dialog.tsx'
import { useCustomFields } from '../prospects/use-audience.ts'
import { Card } from '../ui/card.tsx'
import { type Person, type PersonChange, useChangePerson } from './use-person.ts'

type Value = string | number | boolean

const STANDARD = [
  { key: 'firstName', label: 'First name' },
  { key: 'lastName', label: 'Last name' },
  { key: 'company', label: 'Company' },
] as const

/** What is known of a person, each changed where it stands and taken back by an undo. */
export function PersonFields({ person }: { person: Person }) {
  const changePerson = useChangePerson(person.id)
  const known = useCustomFields()
  const [isNaming, setIsNaming] = useState(false)
  const [added, setAdded] = useState<readonly string[]>([])
  const locked = lockOf(person)
  // No look-up by name alone: a field may be called `constructor`, which every object has.
  const own = new Map(Object.entries(person.customFields))
  const names = [...new Set([...known, ...own.keys(), ...added])]

  async function change(label: string, next: PersonChange, before: PersonChange) {
    await changePerson(next)
    toastWithUndo(`${label} is changed.`, async () => {
      await changePerson(before)
      return `${label} is as it was.`
    })
  }

  const text = (value: Value | null | undefined) => (value === null || value === undefined ? '' : String(value))
  return (
    <Card title="Fields">
      <dl>
        <InlineField
          label="Address"
          value={person.email ?? ''}
          emptyWord="Erased"
          inputMode="email"
          lockedBecause={locked ?? (person.unsubscribedAt ? 'Who has unsubscribed keeps the address.' : null)}
          onSave={(email) => change('The address', { email }, { email: person.email ?? undefined })}
        />
        {STANDARD.map(({ key, label }) => (
          <InlineField
            key={key}
            label={label}
            value={text(person[key])}
            lockedBecause={locked}
            onSave={(value) => change(label, { [key]: value }, { [key]: text(person[key]) })}
          />
        ))}
        <InlineField
          label="Time zone"
          value={text(person.timeZone)}
          emptyWord="As the workspace"
          lockedBecause={locked}
          onSave={(value) => change('Time zone', { timeZone: value || null }, { timeZone: person.timeZone })}
        />
        {names.map((name) => {
          const before = own.get(name) ?? null
          return (
            <InlineField
              key={name}
              label={name}
              value={text(before)}
              lockedBecause={locked}
              onSave={(value) =>
                change(name, { customFields: { [name]: readAs(before, value) } }, { customFields: { [name]: before } })
              }
            />
          )
        })}
      </dl>
      {!locked && (
        <Button size="sm" variant="ghost" icon={<Plus />} className="mt-2" onClick={() => setIsNaming(true)}>
          Another field…
        </Button>
      )}
      <NameDialog
        title="Another field"
        description="Letters, digits and _, a letter first: texts name it like {{custom.city}}."
        submitLabel="Add"
        isOpen={isNaming}
        onOpenChange={setIsNaming}
        onName={async (name) => setAdded([...added, name.trim()])}
      />
    </Card>
  )
}

/** A value keeps its kind where what was typed is of it; what is empty goes. */
function readAs(before: Value | null, typed: string): Value | null {
  if (typed === '') return null
  if (typeof before === 'number' && /^[+-]?\d+(\.\d+)?$/.test(typed)) return Number(typed)
  if (typeof before === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true'
  return typed
}

function lockOf({ erasedAt, mergedIntoId, archivedAt }: Person): string | null {
  if (archivedAt && !mergedIntoId) return 'Who is archived stays as they are. Bring them back first.'
  if (mergedIntoId) return 'This person was merged into another one; change that one.'
  return erasedAt ? 'What was personal is erased. Adding the address again brings the person back.' : null
}
