import clsx from 'clsx'
import type { ReactNode } from 'react'

interface CardProps {
  /** So that an address can lead here. */
  id?: string
  title?: string
  description?: ReactNode
  /** At the right of the title. */
  actions?: ReactNode
  /** For a table or a list that brings its own edges. */
  isFlush?: boolean
  className?: string
  children?: ReactNode
}

export function Card({ id, title, description, actions, isFlush, className, children }: CardProps) {
  return (
    <section
      id={id}
      className={clsx('min-w-0 scroll-mt-32 rounded-lg border border-border bg-surface shadow-card', className)}
    >
      {(title || actions) && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3.5 pb-1 sm:items-start">
          <div className="min-w-0 flex-1 basis-48">
            {title && <h2 className="font-semibold text-sm">{title}</h2>}
            {description && <p className="text-[0.8125rem] text-muted">{description}</p>}
          </div>
          {/* No taller than the title's line, and in its middle however small; on a phone they may stand below it. */}
          {actions && (
            <div className="flex shrink-0 items-center gap-2 max-sm:mb-1 sm:-my-1.5 sm:min-h-8">{actions}</div>
          )}
        </header>
      )}
      {children === undefined ? (
        <div className="h-2.5" />
      ) : (
        <div className={clsx(!isFlush && 'px-4 py-3.5', (title || actions) && !isFlush && 'pt-2.5')}>{children}</div>
      )}
    </section>
  )
}
