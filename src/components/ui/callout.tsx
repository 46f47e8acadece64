import clsx from 'clsx'
import { CircleCheck, Info, type LucideIcon, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { SOFT_TONE } from './tones.ts'

type CalloutTone = 'info' | 'success' | 'warning' | 'danger'

const ICON: Record<CalloutTone, { icon: LucideIcon; word: string }> = {
  info: { icon: Info, word: 'Note' },
  success: { icon: CircleCheck, word: 'Done' },
  warning: { icon: TriangleAlert, word: 'Warning' },
  danger: { icon: OctagonAlert, word: 'Problem' },
}

interface CalloutProps {
  tone?: CalloutTone
  title?: string
  /** Buttons or links, below the text. */
  actions?: ReactNode
  className?: string
  children?: ReactNode
}

export function Callout({ tone = 'info', title, actions, className, children }: CalloutProps) {
  const { icon: Icon, word } = ICON[tone]
  return (
    <div className={clsx('flex gap-2.5 rounded-lg px-3.5 py-3 text-sm', SOFT_TONE[tone], className)}>
      <Icon aria-label={word} role="img" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-text">{children}</div>}
        {actions && <div className="mt-2.5 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}
