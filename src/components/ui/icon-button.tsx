import clsx from 'clsx'
import type { ComponentProps, ReactNode } from 'react'
import { type ButtonSize, type ButtonVariant, buttonStyle } from './button-style.ts'
import { Tooltip } from './tooltip.tsx'

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** What it does: read aloud, and shown on hover and focus. */
  label: string
  icon: ReactNode
  variant?: ButtonVariant
  size?: ButtonSize
}

export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size,
  type = 'button',
  className,
  ...props
}: IconButtonProps) {
  return (
    <Tooltip content={label}>
      <button
        type={type}
        aria-label={label}
        className={clsx(buttonStyle({ variant, size, shape: 'icon' }), '[&>svg]:size-4', className)}
        {...props}
      >
        {icon}
      </button>
    </Tooltip>
  )
}
