'use client'

import { CircleAlert } from 'lucide-react'
import { MessagePage } from '#components/shell/message-page.tsx'
import { Button } from '#components/ui/control/button.tsx'

export default function ErrorInShell({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <MessagePage
      isInShell
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
        <Button variant="primary" onClick={reset}>
          Try again
        </Button>
      }
    />
  )
}
