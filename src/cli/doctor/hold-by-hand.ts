import type pg from 'pg'
import { holdSending } from '#lib/email-scheduler/send/hold.ts'

export async function holdByHand(pool: pg.Pool, say: (line: string) => void): Promise<void> {
  await holdSending(pool)
  say('Sending is held: from now on nothing more is handed to a provider. What was begun before that still ends.')
  say('npm run doctor -- --after-restore shows what may have been sent, and with --lift lets sending go on.')
}
