import type { Metadata } from 'next'
import { MessagePage } from '#components/shell/message-page.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'

export const metadata: Metadata = { title: 'Not found' }

/** Every page brings it along, so nothing of it is for the browser to run: no library of icons, no link of the router. */
export default function NotFound() {
  return (
    <MessagePage
      icon={<NothingSign />}
      title="There is nothing at this address"
      sentence="It may be mistyped, or belong to another of your workspaces: switch to that one, and open the link again."
      actions={
        <a href="/" className={buttonStyle({ variant: 'primary' })}>
          Go to the start
        </a>
      }
    />
  )
}

function NothingSign() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={2} strokeLinecap="round" aria-hidden>
      <circle cx="11" cy="11" r="7" />
      <path d="m20 20-4-4M9 9l4 4M13 9l-4 4" />
    </svg>
  )
}
