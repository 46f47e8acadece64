import { database, inTransaction } from '#lib/platform/database.ts'
import { sendStoredMail, storeSystemMail } from '#lib/wiring/system-mail.ts'

/** What an invitation does with its mail, as the product is wired, in a process that may be killed at any moment. */
const mails = process.argv.slice(2).map((name) => ({
  ...{ to: `${name}@example.test`, subject: name },
  ...{ text: `#token=${name}`, html: `<p>${name}</p>` },
}))
const outcomes = await Promise.all(
  mails.map(async (mail) => {
    const stored = await inTransaction(database(), (tx) => storeSystemMail(tx, mail))
    process.send?.(`stored ${mail.subject}`)
    return sendStoredMail(stored)
  }),
)
process.send?.(outcomes.join(), () => process.exit(0))
