'use client'

import { CircleAlert } from 'lucide-react'
import Link from 'next/link'
import { MessagePage } from '#components/shell/message-page.tsx'
import { Button } from '#components/ui/button.tsx'
import { buttonStyle } from '#components/ui/button-style.ts'

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <MessagePage
      icon={<CircleAlert />}
      title="This page broke"
      sentence={
        <>
          The fault is ours, and your emails are not touched by it. Try again; if it stays, tell whoever runs this
          installation
          {error.digest ? (
            <>
              , with the number <code className="font-mono text-text">{error.digest}</code> from the log
            </>
          ) : null}
          .
        </>
      }
      actions={
        <>
          <Link href="/" className={buttonStyle()}>
            Go to the start
          </Link>
          <Button variant="primary" onClick={reset}>
            Try again
          </Button>
        </>
      }
    />
  )
}
