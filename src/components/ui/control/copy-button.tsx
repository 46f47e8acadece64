'use client'

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { buttonStyle } from './button-style.ts'

const TOLD_MS = 2_000

/** Copies a text, and says that it has. The label names what is copied: "Copy the value". */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), TOLD_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      toast.error('The browser does not let this page copy. Select the text and copy it yourself.')
    }
  }

  const Icon = isCopied ? Check : Copy
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      className={buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' })}
    >
      <Icon aria-hidden className="size-4" />
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </button>
  )
}
