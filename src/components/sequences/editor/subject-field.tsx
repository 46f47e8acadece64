'use client'

import { useId } from 'react'
import { fieldsIn } from '#lib/sequences/fields-in.ts'
import { type Coverage, fieldLabel } from '../fields/field-words.ts'
import { LoadedField } from './loaded-field.tsx'

interface SubjectFieldProps {
  /** What it is the subject of, as it is read aloud: "step 1". */
  of: string
  value: string
  /** Of the thread that a follow-up would answer in; absent where it is none. */
  threadSubject?: string | undefined
  coverage: Coverage
  onChange: (value: string) => void
}

/** What a phone shows of a subject in its list. */
const PHONE_SHOWS = 40

export function SubjectField({ of, value, threadSubject, coverage, onChange }: SubjectFieldProps) {
  const id = useId()
  const isFollowUp = threadSubject !== undefined
  return (
    <div className="flex flex-col gap-1.5">
      <p aria-hidden className="font-medium text-sm">
        Subject
      </p>
      <LoadedField
        kind="line"
        label={`Subject of ${of}`}
        value={value}
        onChange={onChange}
        coverage={coverage}
        placeholder={isFollowUp ? 'Empty: it answers in the same thread' : 'What the email is about'}
        describedBy={id}
      />
      <p id={id} className="text-[0.8125rem] text-muted">
        {isFollowUp && value.trim() === '' ? answers(threadSubject) : counted(value)}
        {isFollowUp && value.trim() !== '' && ' With a subject of its own, this email begins a new thread.'}
      </p>
    </div>
  )
}

const answers = (threadSubject: string) =>
  threadSubject.trim() === ''
    ? 'Empty: it answers in the thread of the step before, which has no subject yet.'
    : `Empty: it answers in the thread of “${asRead(threadSubject)}”.`

function counted(value: string): string {
  const length = asRead(value).length
  if (length <= PHONE_SHOWS) return `${length} of about ${PHONE_SHOWS} characters that a phone shows.`
  return `A phone shows about the first ${PHONE_SHOWS} of ${length} characters: “${asRead(value).slice(0, PHONE_SHOWS)}…”`
}

/** With the name of each field, or its fallback, in its place: about as long as what it will say. */
function asRead(value: string): string {
  let read = ''
  let at = 0
  for (const { start, end, field, fallback } of fieldsIn(value)) {
    read += `${value.slice(at, start)}${fallback ?? fieldLabel(field)}`
    at = end
  }
  return read + value.slice(at)
}
