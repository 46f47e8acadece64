'use client'

import Link from 'next/link'
import { type ComponentProps, useState } from 'react'

/**
 * A link that fetches its page when a person is about to follow it. A navigation that fetches all of its pages at once
 * makes the first page that one opens pay for the others.
 */
export function IntentLink({ onIntent, ...props }: ComponentProps<typeof Link> & { onIntent?: () => void }) {
  const [isWanted, setIsWanted] = useState(false)
  function want() {
    setIsWanted(true)
    onIntent?.()
  }
  return <Link {...props} prefetch={isWanted ? null : false} onPointerEnter={want} onFocus={want} />
}
