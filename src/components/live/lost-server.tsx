'use client'

import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatRelative } from '../date-time-format.ts'

interface LostServerProps {
  /** Of a live query. */
  query: { failureCount: number; dataUpdatedAt: number }
}

/** Says quietly that what is shown is old, and how old, and goes away by itself. Its place is always there. */
export function LostServer({ query }: LostServerProps) {
  const isLost = query.failureCount > 0 && query.dataUpdatedAt > 0
  return (
    <div role="status">
      {isLost && (
        <p className="mb-3 flex items-center gap-2 rounded-md bg-warning-soft px-3 py-2 text-[0.8125rem] text-warning-text">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          <span>
            The server does not answer. You see what was here <Age since={query.dataUpdatedAt} />; it is asked again
            every few seconds.
          </span>
        </p>
      )}
    </div>
  )
}

function Age({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <span aria-hidden>{formatRelative(new Date(since), new Date(now))}</span>
}
