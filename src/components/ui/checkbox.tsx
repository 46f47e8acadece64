'use client'

import clsx from 'clsx'
import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useId } from 'react'

interface CheckboxProps extends Omit<ComponentProps<typeof Radix.Root>, 'children'> {
  label: ReactNode
  hint?: ReactNode
  /** Read aloud but not shown, as in the rows of a table. */
  isLabelHidden?: boolean
}

const BOX =
  'group relative flex size-4.5 shrink-0 items-center justify-center rounded-sm border border-control bg-surface text-on-accent after:absolute after:-inset-1.5 disabled:cursor-not-allowed disabled:opacity-55 data-[state=checked]:border-accent data-[state=indeterminate]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:bg-accent'

export function Checkbox({ label, hint, isLabelHidden, className, ...props }: CheckboxProps) {
  const id = useId()
  return (
    <div className={clsx('flex items-start gap-2.5', className)}>
      <Radix.Root
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={clsx(!isLabelHidden && 'mt-0.5', BOX)}
        {...props}
      >
        <Radix.Indicator>
          <Check aria-hidden className="size-3.5 group-data-[state=indeterminate]:hidden" strokeWidth={3} />
          <Minus aria-hidden className="hidden size-3.5 group-data-[state=indeterminate]:block" strokeWidth={3} />
        </Radix.Indicator>
      </Radix.Root>
      <div className={isLabelHidden ? 'sr-only' : 'min-w-0'}>
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-[0.8125rem] text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
