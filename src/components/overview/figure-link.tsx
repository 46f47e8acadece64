'use client'

import { IntentLink } from '../shell/intent-link.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { BEHIND_WORDS, figure } from './behind-words.ts'
import { doorTo } from './doors.ts'
import type { Behind } from './use-overview.ts'

interface FigureLinkProps {
  count: number
  behind: Behind
  countedMax?: number
  /** In place of the number alone. */
  children?: string
}

/** A number that opens what it counted. None opens nothing. */
export function FigureLink({ count, behind, countedMax, children }: FigureLinkProps) {
  const { hrefWith } = useUrlParams()
  const text = children ?? figure(count, countedMax)
  if (count === 0) return <span className="text-muted">{text}</span>
  return (
    <IntentLink
      href={hrefWith(doorTo(behind))}
      scroll={false}
      prefetch={false}
      data-figure={`${behind.what} ${count}`}
      className="font-medium text-accent-text underline-offset-2 hover:underline"
    >
      {text}
      {!children && <span className="sr-only"> {BEHIND_WORDS[behind.what].title.toLowerCase()}</span>}
    </IntentLink>
  )
}
