import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { Providers } from '#components/shell/providers.tsx'
import { parseTheme, THEME_COOKIE } from '#components/theme.ts'
import './globals.css'

export const metadata: Metadata = {
  title: { default: 'Sendonce', template: '%s · Sendonce' },
  description: 'Sequenced campaign email that is never sent twice and never lost.',
  robots: { index: false, follow: false },
}

export const viewport: Viewport = {
  colorScheme: 'light dark',
}

/**
 * Reading the cookie makes every page render when it is asked for, which the nonces of the Content-Security-Policy
 * need as well: a page built beforehand could not carry them.
 */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value)
  return (
    <html lang="en" data-theme={theme} className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body className="min-h-dvh bg-canvas font-sans">
        <Providers initialTheme={theme}>{children}</Providers>
      </body>
    </html>
  )
}
