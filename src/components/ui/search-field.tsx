'use client'

import { LoaderCircle, Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useUrlParams } from '../use-url-params.ts'
import { controlStyle } from './control-style.ts'

const SETTLE_MS = 250

interface SearchFieldProps {
  /** Says what is searched: "Search by address or name". */
  label: string
  param?: string
}

/** What is typed goes into the address once the typing rests. */
export function SearchField({ label, param = 'q' }: SearchFieldProps) {
  const { params, change, isPending } = useUrlParams()
  const inUrl = params.get(param) ?? ''
  const [typed, setTyped] = useState(inUrl)
  const lastSent = useRef(inUrl)

  // Back, or "Clear filters", changes the address from outside: the field follows.
  useEffect(() => {
    if (inUrl === lastSent.current) return
    lastSent.current = inUrl
    setTyped(inUrl)
  }, [inUrl])

  useEffect(() => {
    if (typed === lastSent.current) return
    const timer = setTimeout(() => {
      lastSent.current = typed
      change({ [param]: typed.trim() }, 'replace')
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  })

  return (
    <search className="relative w-full sm:w-72">
      {isPending ? (
        <LoaderCircle
          aria-hidden
          className="-translate-y-1/2 absolute top-1/2 left-2.5 size-4 animate-spin text-muted"
        />
      ) : (
        <Search aria-hidden className="-translate-y-1/2 absolute top-1/2 left-2.5 size-4 text-muted" />
      )}
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${controlStyle} h-10 px-8! lg:h-8 [&::-webkit-search-cancel-button]:hidden`}
      />
      {typed !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setTyped('')}
          className="-translate-y-1/2 absolute top-1/2 right-1 flex size-6 items-center justify-center rounded-sm text-muted hover:text-text"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </search>
  )
}
