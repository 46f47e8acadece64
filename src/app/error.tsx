'use client'

import { MessagePage } from '#components/shell/message-page.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'

/** Every page brings it along, so it is made of little: no library of icons, and a link that loads the page anew. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <MessagePage
      icon={<Alert />}
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
          <a href="/" className={buttonStyle()}>
            Go to the start
          </a>
          <button type="button" onClick={reset} className={buttonStyle({ variant: 'primary' })}>
            Try again
          </button>
        </>
      }
    />
  )
}

function Alert() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={2} strokeLinecap="round" aria-hidden>
      <circle cx="12" cy="12" r="10" />
      <path d="M12 8v4M12 16h.01" />
    </svg>
  )
}
