'use client'

import { type ComponentType, useEffect, useState } from 'react'

type Sonner = typeof import('./toast-sonner.tsx')
type Options = { id?: string; duration?: number; action?: { label: string; onClick: () => void } }

let loading: Promise<Sonner> | undefined
/** Puts the place of the messages on the page; there from the moment that Providers is. */
let show: ((Place: ComponentType) => void) | undefined

/** What few visits need is fetched with the first message. Where that fails, the next message tries again. */
async function say(how: 'success' | 'info' | 'error', message: string, options?: Options): Promise<void> {
  loading ??= import('./toast-sonner.tsx')
  try {
    const { Place, toast } = await loading
    show?.(Place)
    // Into a place that is there already: a screen reader announces what is added to it, not what it comes with.
    setTimeout(() => toast[how](message, options))
  } catch {
    loading = undefined
  }
}

export const toast = {
  success: (message: string, options?: Options) => void say('success', message, options),
  /** Of a look that came to something or to nothing. */
  info: (message: string, options?: Options) => void say('info', message, options),
  error: (message: string, options?: Options) => void say('error', message, options),
  dismiss: (id: string) => void loading?.then((sonner) => sonner.toast.dismiss(id)),
}

/** One for the whole product, in Providers. */
export function Toaster() {
  const [Place, setPlace] = useState<ComponentType | null>(null)
  useEffect(() => {
    show = (next) => setPlace(() => next)
  }, [])
  return Place && <Place />
}
