'use client'

import { useEffect, useState, useSyncExternalStore } from 'react'
import { type DateTimeStyle, formatInstant, formatInstantInFull, formatRelative } from '../date-time-format.ts'
import { browserTimeZone } from '../form/time-zones.ts'

const REFRESH_MS = 15_000

interface DateTimeProps {
  /** ISO, as the API gives it. */
  instant: string
  /** The workspace's IANA zone. */
  timeZone: string
  style?: DateTimeStyle | 'relative'
}

/** An instant in the workspace's zone; the title says the whole of it, and what it is where the reader is. */
export function DateTime({ instant, timeZone, style = 'date-time' }: DateTimeProps) {
  const date = new Date(instant)
  // The server cannot know where the browser is.
  const here = useSyncExternalStore(neverChanges, browserTimeZone, () => timeZone)
  const zones = here === timeZone ? [timeZone] : [timeZone, here]
  const title = zones.map((zone) => formatInstantInFull(date, zone)).join('\n')
  return (
    <time dateTime={instant} title={title} className="whitespace-nowrap">
      {style === 'relative' ? <Relative date={date} /> : formatInstant(date, timeZone, style)}
    </time>
  )
}

const neverChanges = () => () => undefined

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
