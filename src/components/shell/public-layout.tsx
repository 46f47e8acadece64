import Link from 'next/link'
import type { ReactNode } from 'react'
import { Wordmark } from './logo.tsx'
import { MAIN_ID, SkipLink } from './skip-link.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

interface PublicLayoutProps {
  /** At the right of the top bar: sign in. */
  actions?: ReactNode
  children: ReactNode
}

/** For pages that everyone may see. */
export function PublicLayout({ actions, children }: PublicLayoutProps) {
  return (
    <div className="mx-auto flex min-h-dvh max-w-6xl flex-col px-4 lg:px-8">
      <SkipLink />
      <header className="flex h-14 items-center justify-between gap-4 lg:h-16">
        <Link href="/" className="flex rounded-md">
          <Wordmark />
        </Link>
        <div className="flex items-center gap-2">
          {actions}
          <ThemeToggle />
        </div>
      </header>
      <main id={MAIN_ID} tabIndex={-1} className="flex-1 pt-8 pb-16 outline-none lg:pt-14">
        {children}
      </main>
    </div>
  )
}
