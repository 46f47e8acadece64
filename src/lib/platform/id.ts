import { randomBytes } from 'node:crypto'

/** How many ids a millisecond has room for: the twelve bits behind it. */
const IN_A_MS_MAX = 0x1000

let lastMs = 0
let inThisMs = 0

/**
 * UUIDv7: new rows land side by side in the index, which is what keeps bulk inserts fast. Those of one process sort as they
 * were made, also within a millisecond and while the clock goes back.
 */
export function newId(): string {
  takeNextMoment()
  const bytes = randomBytes(16)
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | inThisMs, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function takeNextMoment(): void {
  const now = Date.now()
  if (now > lastMs) [lastMs, inThisMs] = [now, 0]
  else if (inThisMs + 1 < IN_A_MS_MAX) inThisMs += 1
  else [lastMs, inThisMs] = [lastMs + 1, 0]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What is not an id cannot name a row: asked before Postgres, which would answer with an error of syntax. */
export function isId(value: string): boolean {
  return UUID.test(value)
}
