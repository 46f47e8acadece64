import { createHash, randomBytes } from 'node:crypto'
import type { Sql } from '#lib/platform/database.ts'
import type { GmailWish } from './scopes.ts'

/** `mailboxId`: the one to be connected again, or null for a new one. */
export type GmailAsk = { workspaceId: string; personId: string; mailboxId: string | null; wish: GmailWish }

const MINUTES_MAX = 15

/** Remembers that this person was sent to Google; answers what Google is to bring back. Only its hash is kept. */
export async function rememberAsk(tx: Sql, { workspaceId, personId, mailboxId, wish }: GmailAsk): Promise<string> {
  const state = randomBytes(32).toString('base64url')
  await tx.query(`DELETE FROM gmail_asks WHERE asked_at < app_now() - make_interval(mins => $1)`, [MINUTES_MAX])
  await tx.query(
    `INSERT INTO gmail_asks (state_hash, workspace_id, person_id, mailbox_id, wish) VALUES ($1, $2, $3, $4, $5)`,
    [hashOf(state), workspaceId, personId, mailboxId, wish],
  )
  return state
}

/**
 * Once, within minutes, and only for the person who asked, in the workspace where they asked: to make another
 * person open one's own link connects nothing.
 */
export async function takeAsk(
  tx: Sql,
  state: string,
  { workspaceId, personId }: Pick<GmailAsk, 'workspaceId' | 'personId'>,
): Promise<Pick<GmailAsk, 'mailboxId' | 'wish'> | undefined> {
  const { rows } = await tx.query<Pick<GmailAsk, 'mailboxId' | 'wish'>>(
    `DELETE FROM gmail_asks WHERE state_hash = $1 AND workspace_id = $2 AND person_id = $3
       AND asked_at >= app_now() - make_interval(mins => $4)
     RETURNING mailbox_id AS "mailboxId", wish`,
    [hashOf(state), workspaceId, personId, MINUTES_MAX],
  )
  return rows[0]
}

const hashOf = (state: string) => createHash('sha256').update(state).digest()
