'use client'

import clsx from 'clsx'
import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { controlStyle } from './control-style.ts'
import { useFieldWiring } from './field.tsx'

export interface SelectOption {
  value: string
  label: string
  isDisabled?: boolean
}

interface SelectProps {
  options: readonly SelectOption[]
  value?: string
  defaultValue?: string
  onValueChange?: (value: string) => void
  name?: string
  placeholder?: string
  isDisabled?: boolean
  /** Needed outside of a Field. */
  'aria-label'?: string
  className?: string
}

export function Select({
  options,
  placeholder = 'Choose…',
  isDisabled,
  className,
  'aria-label': ariaLabel,
  ...props
}: SelectProps) {
  const wiring = useFieldWiring()
  const chosen = options.find(({ value }) => value === props.value)
  return (
    <Radix.Root disabled={isDisabled} {...props}>
      <Radix.Trigger
        {...wiring}
        aria-label={ariaLabel}
        className={clsx(
          controlStyle,
          'inline-flex h-10 items-center justify-between gap-2 text-left data-placeholder:text-muted lg:h-8',
          className,
        )}
      >
        <span className="truncate">
          {/* Named here, and not taken from its item, which is only known once the browser has drawn it. */}
          <Radix.Value placeholder={placeholder}>{chosen?.label}</Radix.Value>
        </span>
        <Radix.Icon asChild>
          <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-[calc(100vw-1rem)] animate-appear overflow-hidden rounded-lg border border-border bg-raised shadow-raised"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.isDisabled}
                className="flex min-h-9 cursor-default select-none items-center justify-between gap-3 rounded-md px-2 text-sm outline-none data-disabled:opacity-55 data-highlighted:bg-accent-soft data-highlighted:text-accent-text lg:min-h-8"
              >
                <Radix.ItemText>{option.label}</Radix.ItemText>
                <Radix.ItemIndicator>
                  <Check aria-hidden className="size-4" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
