import { randomBytes } from 'node:crypto'

const TIME_DIGITS = 9
const COUNT_DIGITS = 3

export const ID_PATTERN = /^[0-9a-z]{20}$/

/** Ids sort by the time they were given out, also within a millisecond and when the clock is set back. */
export function idSequence(newestId: string | undefined): () => string {
  let lastMs = newestId ? timeOf(newestId) : 0
  let count = 0
  return () => {
    const nowMs = Date.now()
    if (nowMs > lastMs) {
      lastMs = nowMs
      count = 0
    } else if (++count === 36 ** COUNT_DIGITS) {
      lastMs++
      count = 0
    }
    return digits(lastMs, TIME_DIGITS) + digits(count, COUNT_DIGITS) + randomBytes(4).toString('hex')
  }
}

export function receivedAtOf(id: string): string {
  return new Date(timeOf(id)).toISOString()
}

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, TIME_DIGITS), 36)
}

function digits(value: number, length: number): string {
  return value.toString(36).padStart(length, '0')
}
