'use client'

import type { MouseEvent } from 'react'
import { Toaster as Sonner } from 'sonner'

export { toast } from 'sonner'

/** Sonner reads the page's own colours, so it needs no theme. */
export function Place() {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the buttons in it
    <div onMouseDown={leaveFocus}>
      <Sonner
        position="bottom-right"
        closeButton
        className="font-sans!"
        toastOptions={{
          unstyled: true,
          classNames: {
            toast:
              'flex w-full items-start gap-2.5 rounded-lg border border-border bg-raised px-3.5 py-3 text-sm text-text shadow-raised',
            content: 'min-w-0 flex-1',
            title: 'font-medium',
            description: 'text-muted',
            icon: 'mt-0.5 [&>svg]:size-4',
            actionButton: 'order-1 rounded-md bg-accent px-2.5 py-1 font-medium text-on-accent text-xs',
            cancelButton: 'order-1 rounded-md bg-sunken px-2.5 py-1 font-medium text-xs',
            closeButton:
              'order-2 -mr-1 flex size-6 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken [&>svg]:size-3.5',
            success: '[&_[data-icon]]:text-success-text',
            error: '[&_[data-icon]]:text-danger-text',
            warning: '[&_[data-icon]]:text-warning-text',
            info: '[&_[data-icon]]:text-info-text',
          },
        }}
      />
    </div>
  )
}

/**
 * Once the focus has been in a message, Sonner puts it back to where it was as soon as it leaves: which closed the menu
 * that a person opened after pressing "Undo". A press by mouse therefore leaves the focus alone; keys still move it.
 */
function leaveFocus(event: MouseEvent) {
  if (event.target instanceof Element && event.target.closest('button')) event.preventDefault()
}
