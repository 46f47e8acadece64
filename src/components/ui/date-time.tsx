'use client'

import { useEffect, useState } from 'react'
import { type DateTimeStyle, formatInstant, formatInstantInFull, formatRelative } from '../date-time-format.ts'

const REFRESH_MS = 15_000

interface DateTimeProps {
  /** ISO, as the API gives it. */
  instant: string
  /** The workspace's IANA zone. */
  timeZone: string
  style?: DateTimeStyle | 'relative'
}

/** An instant in the workspace's zone, with the whole of it in the title. */
export function DateTime({ instant, timeZone, style = 'date-time' }: DateTimeProps) {
  const date = new Date(instant)
  return (
    <time dateTime={instant} title={formatInstantInFull(date, timeZone)} className="whitespace-nowrap">
      {style === 'relative' ? <Relative date={date} /> : formatInstant(date, timeZone, style)}
    </time>
  )
}

function Relative({ date }: { date: Date }) {
  const [now, setNow] = useState(() => new Date())

  useEffect(() => {
    setNow(new Date())
    const timer = setInterval(() => setNow(new Date()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])

  // Server and browser may be a second apart; the effect sets it right.
  return <span suppressHydrationWarning>{formatRelative(date, now)}</span>
}
