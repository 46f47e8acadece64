'use client'

import clsx from 'clsx'
import Link from 'next/link'
import { useUrlParams } from '../use-url-params.ts'

export interface TabItem {
  value: string
  label: string
  count?: number
}

interface TabsProps {
  /** The first one is shown when the address names none, or one that does not exist. */
  tabs: readonly TabItem[]
  /** Names the row of tabs for a screen reader: "Campaign", "Emails by state". */
  label: string
  param?: string
}

/** Tabs are links: they live in the address, open in a new window, and work with Back. */
export function Tabs({ tabs, label, param = 'tab' }: TabsProps) {
  const { params, hrefWith } = useUrlParams()
  const asked = params.get(param)
  const current = tabs.find((tab) => tab.value === asked) ?? tabs[0]

  return (
    <nav aria-label={label} className="overflow-x-auto border-border border-b">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.value}>
            <Link
              href={hrefWith({ [param]: tab === tabs[0] ? null : tab.value })}
              scroll={false}
              aria-current={tab === current ? 'page' : undefined}
              className={clsx(
                '-outline-offset-2 flex h-11 items-center gap-1.5 whitespace-nowrap border-b-2 px-2.5 font-medium text-sm transition-colors lg:h-9',
                tab === current
                  ? 'border-accent text-text'
                  : 'border-transparent text-muted hover:border-control hover:text-text',
              )}
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="rounded-full bg-sunken px-1.5 text-muted text-xs leading-5">
                  {tab.count.toLocaleString('en')}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
