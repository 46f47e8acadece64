'use client'

import { CircleAlert } from 'lucide-react'
import { MessagePage } from '#components/shell/message-page.tsx'
import { Button } from '#components/ui/control/button.tsx'
import './globals.css'

/** When the layout itself breaks, this stands in for it, and so brings a page of its own. */
export default function GlobalErrorPage() {
  return (
    <html lang="en">
      <body className="min-h-dvh bg-canvas font-sans">
        <title>Something broke · Sendonce</title>
        <MessagePage
          icon={<CircleAlert />}
          title="Sendonce could not be shown"
          sentence="The fault is ours, and your emails are not touched by it. Load the page again; if it stays, tell whoever runs this installation."
          actions={
            <Button variant="primary" onClick={() => window.location.reload()}>
              Load again
            </Button>
          }
        />
      </body>
    </html>
  )
}
