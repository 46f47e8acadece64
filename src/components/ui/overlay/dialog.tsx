'use client'

import clsx from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { useFocusReturn } from './use-focus-return.ts'
import { useKeptInput } from './use-kept-input.ts'

interface DialogProps {
  title: string
  description?: ReactNode
  /** The button that opens it; leave it out where `isOpen` decides alone. */
  trigger?: ReactNode
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  width?: 'sm' | 'md' | 'lg'
  /** Buttons, the main one last. */
  footer?: ReactNode
  children?: ReactNode
}

const WIDTH = { sm: 'max-w-md', md: 'max-w-lg', lg: 'max-w-3xl' } as const

export function Dialog({
  title,
  description,
  trigger,
  isOpen,
  onOpenChange,
  width = 'md',
  footer,
  children,
}: DialogProps) {
  const focusReturn = useFocusReturn()
  const kept = useKeptInput()
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      {trigger && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Radix.Content
          {...focusReturn}
          {...kept.contentProps}
          onCloseAutoFocus={(event) => {
            kept.forget()
            focusReturn.onCloseAutoFocus(event)
          }}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={clsx(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 animate-appear flex-col rounded-xl border border-border bg-raised shadow-raised outline-none',
            WIDTH[width],
          )}
        >
          <header className="px-5 pt-4.5 pr-13 pb-3">
            <Radix.Title className="wrap-anywhere font-semibold text-base">{title}</Radix.Title>
            {description && (
              <Radix.Description asChild>
                <div className="mt-1 text-muted text-sm">{description}</div>
              </Radix.Description>
            )}
          </header>
          {children && <div className="min-h-0 flex-1 overflow-y-auto px-5 py-1">{children}</div>}
          {footer && (
            <footer className="flex flex-col-reverse gap-2 px-5 pt-3 pb-4.5 sm:flex-row sm:justify-end">
              {footer}
            </footer>
          )}
          {kept.isAsking && (
            <div
              role="alert"
              className="flex flex-wrap items-center justify-end gap-2 rounded-b-xl border-border border-t bg-warning-soft px-5 py-3"
            >
              <p className="min-w-0 flex-1 basis-48 text-sm text-warning-text">Close it, and lose what you typed?</p>
              <Button ref={kept.onAsked} onClick={kept.goOn}>
                Go on typing
              </Button>
              <Radix.Close asChild>
                <Button variant="danger">Close it</Button>
              </Radix.Close>
            </div>
          )}
          {/* Last, so that the first field or the harmless button gets the focus. */}
          <Radix.Close
            aria-label="Close"
            className={clsx(buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' }), 'absolute top-3.5 right-3.5')}
          >
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
