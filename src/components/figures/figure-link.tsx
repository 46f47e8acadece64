'use client'

import clsx from 'clsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { BEHIND_WORDS, figure } from './behind-words.ts'
import { doorTo } from './doors.ts'
import type { Behind } from './use-rows-behind.ts'

interface FigureLinkProps {
  count: number
  behind: Behind
  countedMax?: number
  /** A limit is reached. */
  isMuch?: boolean
  /** In place of the number alone. */
  children?: string
}

/** A number that opens what it counted. None opens nothing. */
export function FigureLink({ count, behind, countedMax, isMuch = false, children }: FigureLinkProps) {
  const { params, hrefWith } = useUrlParams()
  const text = children ?? figure(count, countedMax)
  if (count === 0) return <span className="text-muted">{text}</span>
  return (
    <IntentLink
      // It opens over this very page of the list.
      href={hrefWith({ ...doorTo(behind), cursor: params.get('cursor') })}
      scroll={false}
      prefetch={false}
      data-figure={`${behind.what} ${count}`}
      className={clsx(
        'font-medium underline-offset-2 hover:underline',
        isMuch ? 'text-warning-text' : 'text-accent-text',
      )}
    >
      {text}
      {!children && <span className="sr-only"> {BEHIND_WORDS[behind.what].title.toLowerCase()}</span>}
    </IntentLink>
  )
}
