import type { ReactNode } from 'react'
import { Wordmark } from './logo.tsx'
import { MAIN_ID } from './skip-link.tsx'

interface MessagePageProps {
  icon: ReactNode
  title: string
  /** What happened, and what to do. */
  sentence: ReactNode
  actions: ReactNode
  /** Inside the shell, which has a main of its own. */
  isInShell?: boolean
}

/** A page that has one thing to say: not found, broken. */
export function MessagePage({ icon, title, sentence, actions, isInShell = false }: MessagePageProps) {
  const Frame = isInShell ? 'div' : 'main'
  const message = (
    <Frame
      id={isInShell ? undefined : MAIN_ID}
      className="flex min-h-[70dvh] flex-col items-center justify-center px-4 py-16 text-center"
    >
      <span aria-hidden className="rounded-lg bg-sunken p-3 text-muted [&>svg]:size-6">
        {icon}
      </span>
      <h1 className="mt-4 font-semibold text-xl tracking-tight">{title}</h1>
      <p className="mt-1.5 max-w-md text-pretty text-muted">{sentence}</p>
      <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>
    </Frame>
  )
  if (isInShell) return message
  return (
    <>
      <header className="flex h-14 items-center px-4 lg:px-6">
        <Wordmark />
      </header>
      {message}
    </>
  )
}
