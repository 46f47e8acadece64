'use client'

import clsx from 'clsx'
import { Check, PencilLine, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { Input } from '#components/ui/control/input.tsx'
import { messageOf } from '../api-client.ts'
import { fieldErrorsOf } from './use-submit.ts'

interface InlineFieldProps {
  label: string
  value: string
  /** What it says where nothing is set. */
  emptyWord?: string
  /** Why it cannot be changed; then it is only shown. */
  lockedBecause?: string | null
  inputMode?: 'text' | 'email' | 'numeric'
  onSave: (value: string) => Promise<void>
}

/**
 * A value that is edited where it stands: Enter keeps it, Escape leaves it. What another person has made of it in the
 * meantime is said before it is replaced.
 */
export function InlineField({
  label,
  value,
  emptyWord = 'Not set',
  lockedBecause,
  inputMode,
  onSave,
}: InlineFieldProps) {
  const [editing, setEditing] = useState<{ text: string; before: string } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const isEditing = editing !== null
  const isChangedElsewhere = isEditing && editing.before !== value

  const wasEditing = useRef(false)
  useEffect(() => {
    if (isEditing) input.current?.select()
    else if (wasEditing.current) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])

  function close() {
    setEditing(null)
    setProblem(null)
  }

  async function save() {
    if (!editing || isSaving) return
    if (editing.text.trim() === value) return close()
    setIsSaving(true)
    setProblem(null)
    try {
      await onSave(editing.text.trim())
      close()
    } catch (error) {
      setProblem(Object.values(fieldErrorsOf(error))[0] ?? messageOf(error))
    } finally {
      setIsSaving(false)
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter') void save()
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      className={clsx(
        'grid grid-cols-[7.5rem_minmax(0,1fr)] items-start gap-x-3 py-0.5 text-sm',
        // Beside its label and two buttons, a phone leaves no room to type in.
        isEditing && 'max-sm:grid-cols-1',
      )}
    >
      <dt className="truncate py-1.5 text-muted" title={label}>
        {label}
      </dt>
      <dd className="min-w-0">
        {editing ? (
          <div>
            <div className="flex flex-wrap items-center gap-1">
              <div className="min-w-24 flex-1">
                <Input
                  ref={input}
                  aria-label={label}
                  aria-invalid={problem ? true : undefined}
                  value={editing.text}
                  inputMode={inputMode}
                  autoComplete="off"
                  spellCheck={false}
                  maxLength={1_000}
                  onChange={(event) => setEditing({ ...editing, text: event.target.value })}
                  onKeyDown={onKeyDown}
                />
              </div>
              <button
                type="button"
                aria-label={`Save ${label.toLowerCase()}`}
                aria-busy={isSaving || undefined}
                onClick={save}
                className={buttonStyle({ variant: 'ghost', shape: 'icon' })}
              >
                <Check aria-hidden className="size-4" />
              </button>
              <button
                type="button"
                aria-label={`Leave ${label.toLowerCase()} as it is`}
                onClick={close}
                className={buttonStyle({ variant: 'ghost', shape: 'icon' })}
              >
                <X aria-hidden className="size-4" />
              </button>
            </div>
            <div role="alert" className="text-[0.8125rem]">
              {problem && <p className="pt-1 text-danger-text">{problem}</p>}
              {isChangedElsewhere && (
                <p className="pt-1 text-warning-text">
                  It was changed to “{value || emptyWord}” while you typed. Saving replaces that.
                </p>
              )}
            </div>
          </div>
        ) : lockedBecause ? (
          <span className="block break-words px-2 py-1.5" title={lockedBecause}>
            {value || <span className="text-muted">{emptyWord}</span>}
          </span>
        ) : (
          <button
            ref={button}
            type="button"
            aria-label={`${label}: ${value || emptyWord}. Change`}
            onClick={() => setEditing({ text: value, before: value })}
            className="group/edit flex min-h-8 w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-sunken"
          >
            <span className="min-w-0 flex-1 break-words">
              {value || <span className="text-muted">{emptyWord}</span>}
            </span>
            <PencilLine
              aria-hidden
              className="size-3.5 shrink-0 text-muted opacity-0 group-hover/edit:opacity-100 group-focus-visible/edit:opacity-100 max-lg:opacity-100"
            />
          </button>
        )}
      </dd>
    </div>
  )
}
