'use client'

import clsx from 'clsx'
import { createContext, type ReactNode, useContext, useId } from 'react'

interface FieldWiring {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

const FieldContext = createContext<FieldWiring | null>(null)

/** What a control inside a Field spreads onto itself; empty outside of one. */
export function useFieldWiring(): Partial<FieldWiring> {
  return useContext(FieldContext) ?? {}
}

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | null
  isRequired?: boolean
  /** Read aloud but not shown, where the surroundings already say it. */
  isLabelHidden?: boolean
  className?: string
  children: ReactNode
}

/** Label, control, hint and error, tied together for a screen reader. */
export function Field({ label, hint, error, isRequired, isLabelHidden, className, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const described = [error && errorId, hint && hintId].filter(Boolean).join(' ')

  return (
    <div className={clsx('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium text-sm'}>
        {label}
      </label>
      <FieldContext
        value={{
          id,
          'aria-describedby': described || undefined,
          'aria-invalid': error ? true : undefined,
          'aria-required': isRequired || undefined,
        }}
      >
        {children}
      </FieldContext>
      {error && (
        <p id={errorId} className="text-[0.8125rem] text-danger-text">
          {error}
        </p>
      )}
      {hint && (
        <p id={hintId} className="text-[0.8125rem] text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}
