import type { Sql } from '#lib/platform/database.ts'
import type { EventName } from './event-types.ts'

const NOTICE = 'prospect.notice' satisfies EventName

type Notice = {
  workspaceId: string
  prospectId: string
  campaignId: string
  personId: string
  note: string
  nodeId: string | null
}

/** Writes down for endpoints that want it what a sequence came to, in the transaction of it. Nothing personal but the ids. */
export async function tellOfNotice(tx: Sql, { workspaceId, prospectId, ...facts }: Notice): Promise<void> {
  await tx.query(`SELECT tell_webhooks($1, '${NOTICE}', $2, $3) WHERE wants_webhook($1, '${NOTICE}')`, [
    workspaceId,
    prospectId,
    JSON.stringify({ prospectId, ...facts }),
  ])
}
