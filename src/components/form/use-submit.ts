'use client'

import { type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { ApiError, messageOf } from '../api-client.ts'

/**
 * Sends a form once, however often Enter is pressed, and puts what the server says about a field beside that field.
 * The server alone decides what fits: there is one set of rules, and one wording.
 */
export function useSubmit(send: (values: Record<string, string>) => Promise<void>) {
  const form = useRef<HTMLFormElement>(null)
  // State would come too late for the second of two presses in one frame.
  const isSending = useRef(false)
  const [isRunning, setIsRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [fields, setFields] = useState<Record<string, string>>({})

  useEffect(() => {
    if (error === null) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  async function onSubmit(event: SyntheticEvent<HTMLFormElement>) {
    event.preventDefault()
    // React lets the submit of a dialog bubble up to a form around it.
    event.stopPropagation()
    if (isSending.current) return
    isSending.current = true
    setIsRunning(true)
    setError(null)
    setFields({})
    try {
      await send(valuesOf(event.currentTarget))
    } catch (thrown) {
      setFields(fieldErrorsOf(thrown))
      setError(thrown)
    } finally {
      isSending.current = false
      setIsRunning(false)
    }
  }

  return {
    /** `post`, so that what is sent before the page is ready to listen never stands in the address. */
    formProps: { ref: form, onSubmit, noValidate: true, method: 'post' } as const,
    isRunning,
    errorAt: (name: string) => fields[name] ?? null,
    error,
    message: error !== null && Object.keys(fields).length === 0 ? messageOf(error) : null,
  }
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') values[name] = value
  return values
}

/** By the last part of their path: `newPerson.name` stands at the field called name. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  const errors: Record<string, string> = {}
  if (!(error instanceof ApiError) || error.code !== 'invalid-input') return errors
  const { details } = error
  if (typeof details !== 'object' || details === null || !('fields' in details) || !Array.isArray(details.fields)) {
    return errors
  }
  for (const field of details.fields) {
    const { path, message }: { path: unknown; message: unknown } = Object(field)
    const name = typeof path === 'string' ? path.split('.').at(-1) : undefined
    if (name && typeof message === 'string') errors[name] ??= message
  }
  return errors
}
