'use client'

import { type FormEvent, useRef, useState } from 'react'

/**
 * A press beside a dialog, or an Escape too many, must not cost a person the form that they have filled in: once something
 * was typed, it asks. Its own buttons close it at once, since they are meant.
 */
export function useKeptInput() {
  const isTyped = useRef(false)
  const typedAt = useRef<Element | null>(null)
  const [isAsking, setIsAsking] = useState(false)

  function goOn() {
    setIsAsking(false)
    if (typedAt.current instanceof HTMLElement) typedAt.current.focus()
  }

  function beforeClosing(event: Event) {
    // The focus that goes elsewhere closes nothing.
    if (!isTyped.current || event.defaultPrevented) return
    event.preventDefault()
    if (isAsking) return
    typedAt.current = document.activeElement
    setIsAsking(true)
  }

  /** Once it is closed: the next one to open it has typed nothing. */
  function forget() {
    isTyped.current = false
    setIsAsking(false)
  }

  return {
    isAsking,
    forget,
    goOn,
    /** The harmless one gets the focus. */
    onAsked: (button: HTMLButtonElement | null) => button?.focus(),
    contentProps: {
      onInput: ({ target, currentTarget }: FormEvent<HTMLElement>) => {
        // React lets the input of a dialog that was opened from this one come up to here.
        if (!(target instanceof Element) || !currentTarget.contains(target)) return
        if (target.closest('form')) isTyped.current = true
      },
      onEscapeKeyDown: (event: KeyboardEvent) => {
        if (!isAsking) return beforeClosing(event)
        event.preventDefault()
        goOn()
      },
      onInteractOutside: beforeClosing,
    },
  }
}
