import clsx from 'clsx'
import { initialsOf } from './initials.ts'

/** Initials; the name stands beside it in words, so it is silent for a screen reader. Workspaces are square. */
export function Avatar({ name, shape = 'round' }: { name: string; shape?: 'round' | 'square' }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'inline-flex size-7 shrink-0 select-none items-center justify-center bg-accent-soft font-semibold text-[0.6875rem] text-accent-text',
        shape === 'round' ? 'rounded-full' : 'rounded-md',
      )}
    >
      {initialsOf(name)}
    </span>
  )
}
