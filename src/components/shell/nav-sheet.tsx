'use client'

import clsx from 'clsx'
import { Menu, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import type { NavSection } from './nav.ts'
import { SideNav } from './side-nav.tsx'

/** The navigation of phones and narrow windows: a sheet from the left. */
export function NavSheet({ sections, header }: { sections: readonly NavSection[]; header: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Radix.Root open={isOpen} onOpenChange={setIsOpen}>
      <Radix.Trigger
        aria-label="Open the menu"
        className={clsx(buttonStyle({ variant: 'ghost', shape: 'icon' }), '-ml-2 lg:hidden')}
      >
        <Menu aria-hidden className="size-5" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim lg:hidden" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] animate-sheet flex-col gap-4 overflow-y-auto border-border border-r bg-surface p-3 shadow-raised outline-none lg:hidden"
        >
          <div className="flex items-center gap-1">
            <Radix.Title className="sr-only">Menu</Radix.Title>
            <div className="min-w-0 flex-1">{header}</div>
            <Radix.Close aria-label="Close the menu" className={buttonStyle({ variant: 'ghost', shape: 'icon' })}>
              <X aria-hidden className="size-5" />
            </Radix.Close>
          </div>
          <SideNav sections={sections} onNavigate={() => setIsOpen(false)} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
