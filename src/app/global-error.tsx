'use client'

import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import { useState } from 'react'
import { AlertSign, WaysOut } from '#components/shell/broken-page.tsx'
import { MessagePage } from '#components/shell/message-page.tsx'
import './globals.css'

/** When the layout itself breaks, this stands in for it, and so brings a page of its own. */
export default function GlobalErrorPage() {
  // As the layout had it, which is gone by the time that this is drawn once more.
  const [theme] = useState(() => globalThis.document?.documentElement.dataset.theme)
  return (
    <html lang="en" data-theme={theme} className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body className="min-h-dvh bg-canvas font-sans">
        <title>Something broke · Sendonce</title>
        <MessagePage
          icon={<AlertSign />}
          title="Sendonce could not be shown"
          sentence="The fault is ours, and your emails are not touched by it. Load the page again; if it stays, tell whoever runs this installation."
          actions={<WaysOut door={{ href: '/', label: 'Go to the start' }} again="Load again" />}
        />
      </body>
    </html>
  )
}
