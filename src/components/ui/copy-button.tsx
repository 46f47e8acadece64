'use client'

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './icon-button.tsx'
import { toast } from './toast.tsx'

const SHOWN_MS = 2_000

/** `what` completes "Copy …": "the key", "the invitation link". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false)

  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      // Without TLS, or against the person's settings, a browser refuses.
      toast.error('The browser did not allow copying. Select the text and copy it by hand.')
    }
  }

  return (
    <>
      <IconButton
        size="sm"
        label={isCopied ? 'Copied' : `Copy ${what}`}
        icon={isCopied ? <Check className="text-success-text" /> : <Copy />}
        onClick={copy}
      />
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  )
}
