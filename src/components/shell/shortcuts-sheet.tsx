'use client'

import { Kbd } from '#components/ui/control/kbd.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import type { KeySequence } from './key-sequences.ts'

interface ShortcutsSheetProps {
  shortcuts: readonly { keys: KeySequence; label: string }[]
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function ShortcutsSheet({ shortcuts, isOpen, onOpenChange }: ShortcutsSheetProps) {
  return (
    <Dialog
      title="Keyboard shortcuts"
      description="They rest while you type in a field."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      width="sm"
    >
      {/* It takes focus, so that a list longer than the screen can be scrolled with the arrow keys. */}
      <dl tabIndex={0} className="-mx-2 flex flex-col rounded-md px-2 pb-4">
        {shortcuts.map((shortcut) => (
          <div
            key={shortcut.keys.join(' ')}
            className="flex min-h-9 items-center justify-between gap-4 border-border border-b text-sm last:border-0"
          >
            <dt>{shortcut.label}</dt>
            <dd className="flex items-center gap-1 text-muted text-xs">
              {shortcut.keys.map((key, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same key may stand twice, and the order is fixed
                <span key={index} className="flex items-center gap-1">
                  {index > 0 && 'then'}
                  <Kbd>{key.length === 1 && key !== '?' ? key.toUpperCase() : key}</Kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
