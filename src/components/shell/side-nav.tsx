'use client'

import clsx from 'clsx'
import { usePathname } from 'next/navigation'
import { useId } from 'react'
import { IntentLink } from './intent-link.tsx'
import { currentHref, type NavSection } from './nav.ts'
import { NavIcon } from './nav-icon.tsx'

interface SideNavProps {
  sections: readonly NavSection[]
  /** In the sheet on phones: closes it. */
  onNavigate?: () => void
}

export function SideNav({ sections, onNavigate }: SideNavProps) {
  const id = useId()
  const current = currentHref(sections, usePathname())
  return (
    <nav aria-label="Main" className="flex flex-col gap-5">
      {sections.map((section, index) => (
        <div key={section.label ?? index}>
          {section.label && (
            <p id={`${id}-${index}`} className="px-2.5 pb-1 font-medium text-muted text-xs">
              {section.label}
            </p>
          )}
          <ul aria-labelledby={section.label ? `${id}-${index}` : undefined} className="flex flex-col gap-0.5">
            {section.items.map((item) => (
              <li key={item.href}>
                <IntentLink
                  href={item.href}
                  onClick={onNavigate}
                  aria-current={item.href === current ? 'page' : undefined}
                  className={clsx(
                    'flex h-10 items-center gap-2.5 rounded-md px-2.5 text-sm transition-colors lg:h-8',
                    item.href === current
                      ? 'bg-accent-soft font-medium text-accent-text'
                      : 'text-muted hover:bg-sunken hover:text-text',
                  )}
                >
                  <NavIcon name={item.icon} />
                  <span className="min-w-0 flex-1 truncate">{item.label}</span>
                  {item.attention !== undefined && item.attention > 0 && (
                    <span className="rounded-full bg-warning-soft px-1.5 font-medium text-warning-text text-xs leading-5">
                      {item.attention.toLocaleString('en')}
                      <span className="sr-only"> need attention</span>
                    </span>
                  )}
                </IntentLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
