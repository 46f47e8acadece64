import { createHash, timingSafeEqual } from 'node:crypto'

export type CronVerdict = 'granted' | 'wrong' | 'not-configured'

/**
 * Vercel's documented comparison accepts "Bearer undefined" when the variable is unset; this one refuses everything
 * then. Hashing first makes the lengths equal, so that the comparison takes the same time for every guess.
 */
export function checkCronSecret(authorization: string | null, secret: string | undefined): CronVerdict {
  if (!secret || secret.length < 16) return 'not-configured'
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${secret}`)) ? 'granted' : 'wrong'
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
