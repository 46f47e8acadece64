/** Seconds between two emails of a mailbox, unless a workspace chooses its own range. */
export const RANDOM_DELAY_RANGE = { min: 30, max: 90 } as const

/**
 * The pause before an email, in whole seconds, both ends of the range included. It comes from the email's key, so
 * that a second plan of the same email gives the same pause, in the dry run and on every worker.
 */
export function jitterSeconds(idempotencyKey: string, minSeconds: number, maxSeconds: number): number {
  return minSeconds + Math.floor((hash32(idempotencyKey) / 2 ** 32) * (maxSeconds - minSeconds + 1))
}

/** FNV-1a with the finisher of MurmurHash3: keys that differ in their last character only (steps 1, 2, 3) spread evenly. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
