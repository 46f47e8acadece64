'use client'

import { useMutation } from '@tanstack/react-query'
import { type SyntheticEvent, useEffect, useRef } from 'react'
import { ApiError, messageOf } from '../api-client.ts'

/**
 * Sends a form once, however often Enter is pressed, and puts what the server says about a field beside that field.
 * The server alone decides what fits: there is one set of rules, and one wording.
 */
export function useSubmit(send: (values: Record<string, string>) => Promise<void>) {
  const form = useRef<HTMLFormElement>(null)
  // State would come too late for the second of two presses in one frame.
  const isSending = useRef(false)
  const write = useMutation({
    mutationFn: send,
    onSettled: () => {
      isSending.current = false
    },
  })
  const { error } = write
  const fields = fieldErrorsOf(error)

  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  function onSubmit(event: SyntheticEvent<HTMLFormElement>) {
    event.preventDefault()
    // React lets the submit of a dialog bubble up to a form around it.
    event.stopPropagation()
    if (isSending.current) return
    isSending.current = true
    write.mutate(valuesOf(event.currentTarget))
  }

  return {
    /** `post`, so that what is sent before the page is ready to listen never stands in the address. */
    formProps: { ref: form, onSubmit, noValidate: true, method: 'post' } as const,
    isRunning: write.isPending,
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
