import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { IntentLink } from '../shell/intent-link.tsx'

interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** Beside the title: a status badge. */
  badge?: ReactNode
  /** The page above this one. */
  back?: { href: string; label: string }
  /** The main one last. */
  actions?: ReactNode
}

export function PageHeader({ title, description, badge, back, actions }: PageHeaderProps) {
  return (
    <header className="mb-5">
      {back && (
        <IntentLink
          href={back.href}
          className="-ml-1 mb-1 inline-flex h-8 items-center gap-1 rounded-md pr-1.5 text-[0.8125rem] text-muted hover:text-text lg:h-6"
        >
          <ChevronLeft aria-hidden className="size-4" />
          {back.label}
        </IntentLink>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <h1 className="break-words font-semibold text-xl leading-8 tracking-tight">{title}</h1>
            {badge}
          </div>
          {description && <p className="max-w-2xl text-pretty text-muted text-sm">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  )
}
