'use client'

import clsx from 'clsx'
import { type ComponentProps, useEffect, useRef } from 'react'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  /** Some of what it stands for, and not all. */
  isPartly?: boolean
}

/** The browser's own, in our colour; the target is as large as a finger. */
export function Checkbox({ isPartly = false, className, ...props }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPartly
  }, [isPartly])
  return (
    <input
      ref={box}
      type="checkbox"
      className={clsx('size-4.5 shrink-0 cursor-pointer accent-(--color-accent) lg:size-4', className)}
      {...props}
    />
  )
}
