import { accessToken } from '#lib/mail/gmail/access-token.ts'
import { googleAt } from '#lib/mail/gmail/google.ts'
import { createPool } from '#lib/platform/database.ts'
import { CLIENT } from './client.ts'
import { testKeyring } from './grant.ts'

/** Asks for the access token of a mailbox again and again, as a worker does, while every one is over as soon as it is there. */
const [databaseUrl = '', googleUrl = '', mailboxId = '', times = ''] = process.argv.slice(2)
const pool = createPool(databaseUrl, 3)
const means = { pool, keyring: testKeyring(process.env.TEST_KEYS), google: googleAt(CLIENT, googleUrl) }
const refused: string[] = []
let had = 0
// Two at a time, as the connections of one mailbox are opened.
const ask = async () => {
  while (had + refused.length < Number(times)) {
    const access = await accessToken(means, mailboxId, 120_000)
    if (access.ok) had += 1
    else refused.push(access.outcome.providerText ?? access.outcome.reason)
  }
}
await Promise.all([ask(), ask()])
await pool.end()
process.send?.({ had, refused }, () => process.exit(0))
