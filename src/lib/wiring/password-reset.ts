import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { passwordResetMail } from '#lib/tenancy/people/mails.ts'
import { answerResetAsk, openResetAsks } from '#lib/tenancy/people/password-reset.ts'
import { auth } from './auth.ts'
import { sendStoredMail, storeSystemMail } from './system-mail.ts'

/** Once the caller has its answer: how long a mail takes would tell that the address belongs to a person. */
export async function answerReset(id: string): Promise<void> {
  const stored = await answerResetAsk(auth(), database(), id, (tx, person, token) =>
    storeSystemMail(tx, passwordResetMail(env().APP_URL, person, token)),
  )
  if (stored) await sendStoredMail(stored)
}

/** What a process that died in between has left. By a tick, which sends the mails itself. */
export async function answerOpenResets(): Promise<number> {
  const open = await openResetAsks(database())
  for (const id of open) {
    await answerResetAsk(auth(), database(), id, (tx, person, token) =>
      storeSystemMail(tx, passwordResetMail(env().APP_URL, person, token)),
    )
  }
  return open.length
}
