'use client'

import clsx from 'clsx'
import { useId, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { api, messageOf } from '../api-client.ts'
import { useLists } from '../prospects/use-audience.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { problemWith } from './column-choices.ts'
import { ColumnsTable } from './columns-table.tsx'
import type { ImportChoices, ImportDraft } from './import-draft.ts'
import type { Preview } from './import-form.ts'
import { ReadAs } from './read-as.tsx'

interface ColumnsStepProps {
  draft: ImportDraft & { choices: ImportChoices }
  preview: Preview
  problem: string | null
  onChange: (choices: ImportChoices) => void
  onReadAs: (choice: Pick<ImportChoices, 'encoding' | 'delimiter'>) => void
  onStart: (choices: ImportChoices) => void
  onCancel: () => void
}

const RULES: readonly { value: ImportChoices['onKnown']; label: string; hint: string }[] = [
  { value: 'update', label: 'Update', hint: 'What the file says replaces what is known. Empty cells change nothing.' },
  { value: 'fill', label: 'Fill what is empty', hint: 'What is known stays; the file fills the gaps.' },
  { value: 'leave', label: 'Skip', hint: 'People who are here already stay as they are.' },
]

const [NO_LIST, NEW_LIST] = ['none', 'new']

/** The first rows, what becomes of each column, of people who are known, and which list they join. */
export function ColumnsStep({ draft, preview, problem, onChange, onReadAs, onStart, onCancel }: ColumnsStepProps) {
  const { choices } = draft
  const { workspace } = useSession()
  const lists = useLists().data?.lists ?? []
  const [listName, setListName] = useState(draft.name.replace(/\.[a-z]+$/i, ''))
  const [isNewList, setIsNewList] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isStarting, setIsStarting] = useState(false)
  const headerId = useId()
  const wrong = problemWith(choices.columns)

  async function start() {
    setIsStarting(true)
    setRefusal(null)
    try {
      let { listId } = choices
      if (isNewList) {
        const list = await api('POST /api/lists', { body: { name: listName }, workspaceId: workspace.id })
        listId = list.id
      }
      onStart({ ...choices, listId })
    } catch (error) {
      setRefusal(messageOf(error))
      setIsStarting(false)
    }
  }

  return (
    <div data-step="columns" className="flex flex-col gap-4">
      <FormError message={problem} />
      {preview.notes.map((note) => (
        <Callout key={note} tone="warning">
          {note}
        </Callout>
      ))}
      <Card
        title="What the columns are"
        description={`The first rows of ${draft.name}. Look whether each column goes where it should.`}
        actions={<ReadAs preview={preview} onReadAs={onReadAs} />}
        isFlush
      >
        <ColumnsTable
          preview={preview}
          columns={choices.columns}
          onChange={(columns) => onChange({ ...choices, columns })}
        />
        {!preview.notes.some((note) => note.includes('first line')) && (
          <label htmlFor={headerId} className="flex items-center gap-2 px-4 py-3 text-sm">
            <Checkbox
              id={headerId}
              checked={choices.hasHeader}
              onChange={(event) => onChange({ ...choices, hasHeader: event.target.checked })}
            />
            The first line names the columns
          </label>
        )}
      </Card>
      {preview.problems.length > 0 && <Problems problems={preview.problems} />}
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="People who are here already">
          <fieldset className="flex flex-col gap-2.5">
            <legend className="sr-only">People who are here already</legend>
            {RULES.map(({ value, label, hint }) => (
              <label key={value} className="flex cursor-pointer items-start gap-2.5 text-sm">
                <input
                  type="radio"
                  name="onKnown"
                  className="mt-0.5 size-4 accent-(--color-accent)"
                  checked={choices.onKnown === value}
                  onChange={() => onChange({ ...choices, onKnown: value })}
                />
                <span>
                  <span className="font-medium">{label}</span>
                  <span className="block text-muted">{hint}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </Card>
        <Card title="List" description="Everybody in the file joins it, known or not.">
          <div className="flex flex-col gap-3">
            <Field label="List" isLabelHidden>
              <Select
                value={isNewList ? NEW_LIST : (choices.listId ?? NO_LIST)}
                onValueChange={(next) => {
                  setIsNewList(next === NEW_LIST)
                  onChange({ ...choices, listId: next === NEW_LIST || next === NO_LIST ? undefined : next })
                }}
                options={[
                  { value: NO_LIST ?? '', label: 'No list' },
                  { value: NEW_LIST ?? '', label: 'A new list…' },
                  ...lists.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            </Field>
            {isNewList && (
              <Field label="Name of the new list">
                <Input value={listName} maxLength={100} onChange={(event) => setListName(event.target.value)} />
              </Field>
            )}
          </div>
        </Card>
      </div>
      <FormError message={refusal} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p role="status" className={clsx('mr-auto text-sm', wrong && 'text-danger-text')}>
          {wrong}
        </p>
        <Button onClick={onCancel}>Another file</Button>
        <Button variant="primary" onClick={start} disabled={wrong !== null} isLoading={isStarting}>
          Import these people
        </Button>
      </div>
    </div>
  )
}

function Problems({ problems }: { problems: Preview['problems'] }) {
  return (
    <Callout
      tone="warning"
      title={`${problems.length === 1 ? 'One of the first lines' : `${problems.length} of the first lines`} cannot be read`}
    >
      <ul className="mt-1 flex flex-col gap-0.5">
        {problems.slice(0, 5).map(({ line, reason }) => (
          <li key={line}>
            Line {line}: {reason}
          </li>
        ))}
      </ul>
      <p className="mt-1">The others are imported all the same; the report lists every line that is not.</p>
    </Callout>
  )
}
