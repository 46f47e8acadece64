import clsx from 'clsx'
import type { ReactNode } from 'react'
import type { Tone } from '../status-look.ts'
import { SOFT_TONE } from './tones.ts'

interface BadgeProps {
  tone?: Tone
  icon?: ReactNode
  /** On two lines, where its place is narrower than what it says. */
  mayWrap?: boolean
  children: ReactNode
}

export function Badge({ tone = 'neutral', icon, mayWrap = false, children }: BadgeProps) {
  return (
    <span
      className={clsx(
        mayWrap ? 'min-h-5.5 rounded-xl py-0.5' : 'h-5.5 whitespace-nowrap rounded-full',
        'inline-flex items-center gap-1 px-2 font-medium text-xs [&>svg]:size-3.5 [&>svg]:shrink-0',
        SOFT_TONE[tone],
      )}
    >
      {icon}
      {children}
    </span>
  )
}
