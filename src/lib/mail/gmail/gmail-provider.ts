import type { UnknownAttempt } from '#lib/email-scheduler/evidence.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { Drafts } from '#lib/mail/draft-evidence.ts'
import type { Provider } from '#lib/mail/provider.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { GmailMeans } from './access-token.ts'
import { gmailConnection, isNotFound, wordsOf } from './gmail-connection.ts'
import { type GmailLink, openGmail } from './gmail-link.ts'
import { findSentMessage, type Sought } from './sent-messages.ts'

/** Gmail as a kind of mailbox: a draft before the mark, its sending after it, and evidence of both. */
export function gmailProvider(means: GmailMeans): Provider {
  return {
    open: async (mailboxId) => ({
      ok: true,
      transport: {
        async connect(deadlineMs) {
          const linking = await openGmail(means, mailboxId, new Deadline(deadlineMs))
          return linking.ok ? { ok: true, connection: gmailConnection(linking.link) } : linking
        },
      },
    }),
    drafts: gmailDrafts(means),
  }
}

function gmailDrafts(means: GmailMeans): Drafts {
  return {
    async remove({ mailboxId, draftId }, deadlineMs) {
      const deadline = new Deadline(deadlineMs)
      const { api, usesDrafts } = await linkTo(means, mailboxId, deadline)
      // The live check has found since that Gmail does not fence, or the permission for drafts is gone.
      if (!usesDrafts) return 'unproven'
      const deleted = await api.deleteDraft(draftId, deadline)
      if (deleted.ok) return 'removed'
      if (isNotFound(deleted.failure)) return 'absent'
      throw new Error(wordsOf(deleted.failure))
    },
    async findSent(attempt, deadlineMs) {
      const deadline = new Deadline(deadlineMs)
      const link = await linkTo(means, attempt.mailboxId, deadline)
      const found = await findSentMessage(link, await readSought(means.pool, attempt), deadline)
      if (!found.ok) throw new Error(wordsOf(found.failure))
      return found.data
    },
  }
}

async function linkTo(means: GmailMeans, mailboxId: string, deadline: Deadline): Promise<GmailLink> {
  const linking = await openGmail(means, mailboxId, deadline)
  if (!linking.ok) throw new Error(linking.outcome.reason)
  return linking.link
}

/** What went out, or may have, under the name of this email: every copy that was frozen for it. */
async function readSought(sql: Sql, { id, markedAt }: UnknownAttempt): Promise<Sought> {
  const { rows } = await sql.query<{ messageId: string; to: string }>(
    `SELECT message_id AS "messageId", coalesce(to_address, '') AS to FROM email_contents
     WHERE email_id = $1 ORDER BY content_token DESC`,
    [id],
  )
  const addresses = new Set(rows.map(({ to }) => to))
  const [only = ''] = addresses.size === 1 ? addresses : []
  return { ids: rows.map(({ messageId }) => messageId), to: only, since: markedAt }
}
