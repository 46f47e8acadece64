import clsx from 'clsx'
import type { ReactNode } from 'react'
import type { Tone } from '../status-look.ts'
import { SOFT_TONE } from './tones.ts'

export function Badge({ tone = 'neutral', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex h-5.5 items-center gap-1 whitespace-nowrap rounded-full px-2 font-medium text-xs [&>svg]:size-3.5 [&>svg]:shrink-0',
        SOFT_TONE[tone],
      )}
    >
      {icon}
      {children}
    </span>
  )
}
