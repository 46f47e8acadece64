'use client'

import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { DropdownMenu } from './dropdown-menu.tsx'

/** What can be done with one row of a table. The label names the row: "Actions for Ada Lovelace". */
export function RowMenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DropdownMenu
      trigger={
        <button type="button" aria-label={label} className={buttonStyle({ variant: 'ghost', shape: 'icon' })}>
          <Ellipsis aria-hidden className="size-4" />
        </button>
      }
    >
      {children}
    </DropdownMenu>
  )
}
