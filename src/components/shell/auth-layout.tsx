import type { ReactNode } from 'react'
import { Wordmark } from './logo.tsx'
import { MAIN_ID } from './skip-link.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

interface AuthLayoutProps {
  title: string
  description?: ReactNode
  /** Below the card: "No account yet?" */
  footer?: ReactNode
  children: ReactNode
}

/** Sign-in, first run, password reset, accepting an invitation. */
export function AuthLayout({ title, description, footer, children }: AuthLayoutProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between px-4 lg:px-6">
        <Wordmark />
        <ThemeToggle />
      </header>
      <main id={MAIN_ID} className="flex flex-1 flex-col items-center px-4 pt-[8dvh] pb-16">
        <div className="w-full max-w-sm rounded-xl border border-border bg-surface p-6 shadow-card">
          <h1 className="font-semibold text-lg tracking-tight">{title}</h1>
          {description && <p className="mt-1 text-pretty text-muted text-sm">{description}</p>}
          <div className="mt-5">{children}</div>
        </div>
        {footer && <div className="mt-4 text-center text-muted text-sm">{footer}</div>}
      </main>
    </div>
  )
}
