import type pg from 'pg'
import { holdSending } from '#lib/email-scheduler/hold.ts'

export async function holdByHand(pool: pg.Pool, say: (line: string) => void): Promise<void> {
  await holdSending(pool)
  say('Sending is held: no worker claims anything more. What is being handed over right now still ends.')
  say('npm run doctor -- --after-restore shows what may have been sent, and with --lift lets sending go on.')
}
