'use client'

import { useState } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'

/**
 * A part of a page that few open, fetched when it is first wanted. Where it cannot be fetched, the page stays as it is
 * and says so, and the next wish tries again.
 */
export function useOnDemand<Part>(load: () => Promise<Part>): [part: Part | null, fetch: () => Promise<Part | null>] {
  const [part, setPart] = useState<Part | null>(null)
  async function fetch(): Promise<Part | null> {
    if (part) return part
    try {
      const loaded = await load()
      setPart(() => loaded)
      return loaded
    } catch {
      toast.error('This part of the page could not be loaded. Check your connection, then try again.')
      return null
    }
  }
  return [part, fetch]
}
