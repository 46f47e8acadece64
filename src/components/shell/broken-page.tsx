import { buttonStyle } from '../ui/control/button-style.ts'
import { MessagePage } from './message-page.tsx'

interface BrokenPageProps {
  error: Error & { digest?: string }
  door: { href: string; label: string }
  isInShell?: boolean
}

/**
 * Every page brings it along, so it is made of little: no library of icons. Both of its ways load a page anew: drawn once
 * more, it would break on the very answer that broke it.
 */
export function BrokenPage({ error, door, isInShell = false }: BrokenPageProps) {
  return (
    <MessagePage
      isInShell={isInShell}
      icon={<AlertSign />}
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
      actions={<WaysOut door={door} again="Try again" />}
    />
  )
}

export function WaysOut({ door, again }: Pick<BrokenPageProps, 'door'> & { again: string }) {
  return (
    <>
      <a href={door.href} className={buttonStyle()}>
        {door.label}
      </a>
      <button type="button" onClick={() => window.location.reload()} className={buttonStyle({ variant: 'primary' })}>
        {again}
      </button>
    </>
  )
}

export function AlertSign() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={2} strokeLinecap="round" aria-hidden>
      <circle cx="12" cy="12" r="10" />
      <path d="M12 8v4M12 16h.01" />
    </svg>
  )
}
