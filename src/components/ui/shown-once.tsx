'use client'

import type { ReactNode } from 'react'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { Callout } from './callout.tsx'
import { Button } from './control/button.tsx'
import { CopyButton } from './control/copy-button.tsx'

interface ShownOnceProps {
  secret: string
  copyLabel: string
  onClose: () => void
  /** Where it belongs now. */
  children: ReactNode
}

/** In a dialog: a secret that nobody can be told again. */
export function ShownOnce({ secret, copyLabel, onClose, children }: ShownOnceProps) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex min-w-0 items-start gap-2 rounded-md bg-sunken pl-2.5">
        <code className="min-w-0 flex-1 break-all py-1.5 text-xs">{secret}</code>
        <CopyButton label={copyLabel} text={secret} />
      </div>
      <Callout>{children}</Callout>
      <div className={dialogActions}>
        <Button variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </div>
  )
}
