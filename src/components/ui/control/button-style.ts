import clsx from 'clsx'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
export type ButtonSize = 'sm' | 'md'

const VARIANT: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent shadow-card enabled:hover:bg-accent-hover [a]:hover:bg-accent-hover',
  secondary:
    'border border-control/60 bg-surface text-text shadow-card enabled:hover:bg-sunken [a]:hover:bg-sunken data-[state=open]:bg-sunken',
  ghost: 'text-text enabled:hover:bg-sunken [a]:hover:bg-sunken data-[state=open]:bg-sunken',
  danger: 'bg-danger text-on-accent shadow-card enabled:hover:bg-danger-hover',
}

/** Phones get targets of 40 px; a pointer can do with 32 and 28. */
const SIZE: Record<ButtonSize, string> = {
  sm: 'h-9 px-2.5 text-[0.8125rem] lg:h-7',
  md: 'h-10 px-3.5 text-sm lg:h-8 lg:px-3',
}

const ICON_SIZE: Record<ButtonSize, string> = {
  sm: 'size-9 lg:size-7',
  md: 'size-10 lg:size-8',
}

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-55'

/** For links that look like buttons, too: `<Link className={buttonStyle({ variant: 'primary' })}>`. */
export function buttonStyle({
  variant = 'secondary',
  size = 'md',
  shape = 'text',
}: {
  variant?: ButtonVariant
  size?: ButtonSize
  shape?: 'text' | 'icon'
} = {}): string {
  return clsx(BASE, VARIANT[variant], shape === 'icon' ? ICON_SIZE[size] : SIZE[size])
}
