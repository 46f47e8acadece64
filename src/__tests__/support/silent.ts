import pino from 'pino'

/** A log for tests that are not about it. */
export const silent = pino({ level: 'silent' })
