'use client'

import { HOME } from '#components/session/safe-next.ts'
import { BrokenPage } from '#components/shell/broken-page.tsx'

export default function ErrorInShell({ error }: { error: Error & { digest?: string } }) {
  return <BrokenPage isInShell error={error} door={{ href: HOME, label: 'Go to the overview' }} />
}
