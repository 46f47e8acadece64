import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { passwordResetMail } from '#lib/tenancy/people/mails.ts'
import { answerResetAsk } from '#lib/tenancy/people/password-reset.ts'
import { auth } from './auth.ts'
import { sendStoredMail, storeSystemMail } from './system-mail.ts'

/** Once the caller has its answer: how long a mail takes would tell that the address belongs to a person. */
export async function answerReset(id: string): Promise<void> {
  const stored = await answerResetAsk(auth(), database(), id, (tx, person, token) =>
    storeSystemMail(tx, passwordResetMail(env().APP_URL, person, token)),
  )
  if (stored) await sendStoredMail(stored)
}

/** Those that a process which died in between has left. By a tick, which sends the mails itself. */
export async function answerLeftResets(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await answerResetAsk(auth(), database(), id, (tx, person, token) =>
      storeSystemMail(tx, passwordResetMail(env().APP_URL, person, token)),
    )
  }
}
