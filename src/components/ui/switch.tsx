'use client'

import clsx from 'clsx'
import { Switch as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useId } from 'react'

interface SwitchProps extends Omit<ComponentProps<typeof Radix.Root>, 'children'> {
  label: ReactNode
  hint?: ReactNode
}

export function Switch({ label, hint, className, ...props }: SwitchProps) {
  const id = useId()
  return (
    <div className={clsx('flex items-start justify-between gap-4', className)}>
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium text-sm">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-[0.8125rem] text-muted">
            {hint}
          </p>
        )}
      </div>
      <Radix.Root
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="relative h-6 w-10 shrink-0 rounded-full bg-control transition-colors disabled:cursor-not-allowed disabled:opacity-55 data-[state=checked]:bg-accent"
        {...props}
      >
        <Radix.Thumb className="block size-5 translate-x-0.5 rounded-full bg-on-accent shadow-card transition-transform data-[state=checked]:translate-x-4.5" />
      </Radix.Root>
    </div>
  )
}
