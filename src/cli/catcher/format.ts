const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })
const COUNT = new Intl.NumberFormat('en-GB')

/** In the machine's own zone: the reader sits in front of it. */
export function formatTime(iso: string, now: Date): string {
  const instant = new Date(iso)
  return instant.toDateString() === now.toDateString() ? TIME.format(instant) : DAY_AND_TIME.format(instant)
}

export function formatFullTime(iso: string): string {
  return FULL.format(new Date(iso))
}

export function formatCount(count: number): string {
  return COUNT.format(count)
}

export function formatMails(count: number): string {
  return `${COUNT.format(count)} ${count === 1 ? 'mail' : 'mails'}`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
