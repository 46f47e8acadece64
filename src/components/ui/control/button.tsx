import clsx from 'clsx'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { type ButtonSize, type ButtonVariant, buttonStyle } from './button-style.ts'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  /** The button keeps its width and its focus while it waits, and a second press does nothing. */
  isLoading?: boolean
}

export function Button({
  variant,
  size,
  icon,
  isLoading = false,
  type = 'button',
  className,
  children,
  onClick,
  ...props
}: ButtonProps) {
  return (
    <button
      type={type}
      aria-busy={isLoading || undefined}
      aria-disabled={isLoading || undefined}
      className={clsx(buttonStyle({ variant, size }), 'relative', className)}
      onClick={isLoading ? (event) => event.preventDefault() : onClick}
      {...props}
    >
      {isLoading && (
        <span className="absolute inset-0 flex items-center justify-center">
          <LoaderCircle aria-hidden className="size-4 animate-spin" />
        </span>
      )}
      <span className={clsx('inline-flex items-center gap-1.5', isLoading && 'opacity-0')}>
        {icon && (
          <span aria-hidden className="-ml-0.5 [&>svg]:size-4">
            {icon}
          </span>
        )}
        {children}
      </span>
    </button>
  )
}
