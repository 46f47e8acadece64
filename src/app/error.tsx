'use client'

import { BrokenPage } from '#components/shell/broken-page.tsx'

export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return <BrokenPage error={error} door={{ href: '/', label: 'Go to the start' }} />
}
