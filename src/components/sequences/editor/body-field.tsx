'use client'

import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { fieldTag } from '#lib/sequences/fields-in.ts'
import { MERGE_FIELDS } from '#lib/sequences/template.ts'
import { type Coverage, fieldLabel } from '../fields/field-words.ts'
import { type DraftStep, type Form, inForm } from './draft.ts'
import { LoadedField } from './loaded-field.tsx'

interface BodyFieldProps {
  /** What it is the text of, as it is read aloud: "step 1". */
  of: string
  step: DraftStep
  isAdded: boolean
  coverage: Coverage
  onChange: (step: DraftStep) => void
}

const FORMS: { value: Form; label: string }[] = [
  { value: 'rich', label: 'Rich text' },
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Plain text' },
]

export function BodyField({ of, step, isAdded, coverage, onChange }: BodyFieldProps) {
  const { ask, dialog } = useConfirm()
  const label = `Text of ${of}`

  function changeForm(form: Form) {
    if (form === step.form) return
    const { step: changed, lost } = inForm(step, form)
    if (lost.length === 0) {
      onChange(changed)
      return
    }
    const formLabel = FORMS.find(({ value }) => value === form)?.label ?? ''
    ask({
      title: `Change to ${formLabel.toLowerCase()}?`,
      description: `${formLabel} cannot hold all of this text. It would lose ${listed(lost)}.`,
      confirmLabel: 'Change',
      run: async () => {
        onChange(changed)
        toastWithUndo(`${of.charAt(0).toUpperCase()}${of.slice(1)} is ${formLabel.toLowerCase()} now.`, async () => {
          onChange(step)
          return 'The text is as it was.'
        })
      },
    })
  }

  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-2">
        <p aria-hidden className="font-medium text-sm">
          Text
        </p>
        <Select
          aria-label={`Form of the text of ${of}`}
          options={FORMS}
          value={step.form}
          onValueChange={(form) => changeForm(form as Form)}
          className="w-32!"
        />
      </div>
      {step.form === 'html' ? (
        <HtmlField
          label={label}
          value={step.bodyHtml}
          coverage={coverage}
          onChange={(bodyHtml) => onChange({ ...step, bodyHtml })}
        />
      ) : (
        <LoadedField
          key={step.form}
          kind={step.form}
          label={label}
          isFocused={isAdded}
          value={step.form === 'rich' ? step.bodyHtml : step.bodyText}
          onChange={(value) => onChange({ ...step, [step.form === 'rich' ? 'bodyHtml' : 'bodyText']: value })}
          coverage={coverage}
        />
      )}
      {step.form !== 'text' && step.bodyText.trim() !== '' && (
        <p className="text-[0.8125rem] text-muted">
          A plain text of its own stands beside this one, for readers without HTML.{' '}
          <Button
            size="sm"
            variant="ghost"
            onClick={() => {
              onChange({ ...step, bodyText: '' })
              toastWithUndo('The plain text is made from this text now.', async () => {
                onChange(step)
                return 'The plain text is back.'
              })
            }}
          >
            Make it from this text
          </Button>
        </p>
      )}
      {dialog}
    </div>
  )
}

const listed = (words: readonly string[]) => new Intl.ListFormat('en').format(words)

interface HtmlFieldProps {
  label: string
  value: string
  coverage: Coverage
  onChange: (value: string) => void
}

/** The source as the author writes it. Fields are put in where the cursor is. */
function HtmlField({ label, value, coverage, onChange }: HtmlFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const own = [...coverage.lacking.keys()].filter((field) => field.startsWith('custom.'))
  const options = [...Object.keys(MERGE_FIELDS), ...own].map((field) => ({ value: field, label: fieldLabel(field) }))

  function insert(field: string) {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {}
    const tag = fieldTag({ field, fallback: null })
    onChange(value.slice(0, selectionStart) + tag + value.slice(selectionEnd))
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(selectionStart + tag.length, selectionStart + tag.length)
    })
  }

  return (
    <div className="flex flex-col gap-1.5">
      <Select
        aria-label={`Insert a field into: ${label}`}
        placeholder="Insert field"
        options={options}
        value=""
        onValueChange={insert}
        className="w-40!"
      />
      <textarea
        ref={area}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        spellCheck={false}
        rows={14}
        className="w-full rounded-md border border-control bg-surface px-2.5 py-2 font-mono text-base shadow-card lg:text-[0.8125rem]"
      />
    </div>
  )
}
