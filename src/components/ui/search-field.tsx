'use client'

import clsx from 'clsx'
import { Search } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { controlStyle } from '#components/ui/control/control-style.ts'
import { useUrlParams } from '../use-url-params.ts'

interface SearchFieldProps {
  /** What is searched: "Search addresses and domains". */
  label: string
  /** Its name in the address. */
  param?: string
  /** So that a key can lead here. */
  ref?: RefObject<HTMLInputElement | null>
}

const TYPING_PAUSE_MS = 250

/** What is typed stands in the address once typing pauses; what the address says, after a Back too, stands here. */
export function SearchField({ label, param = 'q', ref }: SearchFieldProps) {
  const { params, change } = useUrlParams()
  const asked = params.get(param) ?? ''
  const [text, setText] = useState(asked)
  const [answered, setAnswered] = useState(asked)
  if (answered !== asked) {
    setAnswered(asked)
    // Not what is on its way from here: a person who goes on typing must not lose a letter.
    if (asked !== text.trim() && document.activeElement !== ref?.current) setText(asked)
  }

  const ask = useEffectEvent(() => {
    if (text.trim() !== asked) change({ [param]: text.trim() }, 'replace')
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: from the last letter on
  useEffect(() => {
    const timer = setTimeout(ask, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  return (
    <div className="relative w-full sm:w-72">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        className={clsx(controlStyle, 'h-10 pl-8.5! lg:h-8')}
      />
    </div>
  )
}
