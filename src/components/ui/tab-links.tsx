'use client'

import clsx from 'clsx'
import { useEffect, useRef } from 'react'
import { IntentLink } from '../shell/intent-link.tsx'
import { useUrlParams } from '../use-url-params.ts'

interface TabLinksProps<Value extends string> {
  label: string
  /** Its name in the address; the first tab needs none. */
  param: string
  tabs: readonly { value: Value; label: string }[]
  current: Value
  /** Names in the address that mean something on one tab alone: another tab is opened without them. */
  ofTabs?: readonly string[]
  /** A hand is on its way to a tab: the time to fetch what it needs. */
  onIntent?: (value: Value) => void
}

/** Parts of a page, each with an address of its own. */
export function TabLinks<Value extends string>({
  label,
  param,
  tabs,
  current,
  ofTabs = [],
  onIntent,
}: TabLinksProps<Value>) {
  const { hrefWith } = useUrlParams()
  const nav = useRef<HTMLElement>(null)
  // On a phone the last tabs lie beyond the edge: the one that is open is brought in, and the page stays where it is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is open
  useEffect(() => {
    const open = nav.current?.querySelector('[aria-current]')
    if (!nav.current || !open) return
    const [frame, place] = [nav.current.getBoundingClientRect(), open.getBoundingClientRect()]
    nav.current.scrollLeft += (place.left + place.right - frame.left - frame.right) / 2
  }, [current])
  const cleared = Object.fromEntries(ofTabs.map((name) => [name, null]))
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="mb-4 flex gap-1 border-border max-sm:overflow-x-auto max-sm:overflow-y-hidden border-b"
    >
      {tabs.map(({ value, label: word }, index) => (
        <IntentLink
          key={value}
          href={hrefWith({ ...cleared, [param]: index === 0 ? null : value })}
          scroll={false}
          onIntent={onIntent && (() => onIntent(value))}
          aria-current={value === current ? 'page' : undefined}
          className={clsx(
            '-mb-px border-b-2 px-3 py-2 text-sm max-sm:whitespace-nowrap',
            value === current ? 'border-accent font-medium text-text' : 'border-transparent text-muted hover:text-text',
          )}
        >
          {word}
        </IntentLink>
      ))}
    </nav>
  )
}
