import { Deadline } from '#lib/mail/deadline.ts'
import { sendEmails } from '#lib/outbox/send-emails.ts'
import { database } from '#lib/platform/database.ts'
import { outbox } from '#lib/wiring/outbox.ts'

/**
 * What POST /api/emails does, as the product is wired, in a process that may be killed at any moment: one call for each
 * key, all at once, or one batch under the first key, each with a blind copy. Tells the results that their callers heard.
 */
const [workspaceId = '', mode = '', ...keys] = process.argv.slice(2)
const within = new Deadline(60_000)
const wish = (to: string) => ({
  to: { address: to, name: '' },
  subject: 'Hi',
  text: to,
  html: '',
  bcc: [`copy-of-${to}`],
  headers: {},
  attachments: [],
})
const ask = (key: string, addresses: readonly string[]) =>
  sendEmails(database(), outbox(), { workspaceId, key, isBatch: mode === 'batch', wishes: addresses.map(wish), within })
const addressOf = (key: string) => `${key}@example.test`
const asked =
  mode === 'batch' ? [ask(keys[0] ?? '', keys.map(addressOf))] : keys.map((key) => ask(key, [addressOf(key)]))
const heard = await Promise.all(asked)
await Promise.all(heard.map(({ rest }) => rest))
const results = heard.flatMap(({ answers }) =>
  answers.map((answer) => (answer.kind === 'email' ? answer.email.result : answer.error.code)),
)
process.send?.(results, () => process.exit(0))
