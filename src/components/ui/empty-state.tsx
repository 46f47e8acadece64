import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  /** What this place is for, and what to do next. */
  sentence: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon, title, sentence, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center rounded-lg border border-border border-dashed px-6 py-12 text-center">
      <span aria-hidden className="rounded-lg bg-sunken p-2.5 text-muted [&>svg]:size-5">
        {icon}
      </span>
      <h2 className="mt-3.5 font-semibold text-sm">{title}</h2>
      <p className="mt-1 max-w-md text-pretty text-muted text-sm">{sentence}</p>
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
