import type pg from 'pg'
import { readKeyring } from '#lib/platform/keyring.ts'
import { storeCredential } from '#lib/tenancy/credentials/credentials.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import type { Provider } from './provider.ts'
import { ENCRYPTION_KEYS } from './worker.ts'

export type SendingPlace = {
  workspaceId: string
  campaignId: string
  sequenceId: string
  mailboxIds: string[]
  emails: number
}

type Wanted = {
  prospects: number
  steps?: number
  mailboxes?: number
  dailyQuota?: number
  settings?: Record<string, unknown>
}

/** Each mailbox sends through the provider at its place. */
export async function sendThrough(
  pool: pg.Pool,
  mailboxIds: readonly string[],
  providers: readonly Provider[],
  security: 'NONE' | 'STARTTLS' = 'NONE',
): Promise<void> {
  await pool.query(
    `UPDATE smtp_settings s SET port = p.port, security = $3::smtp_security, updated_at = app_now()
     FROM unnest($1::uuid[], $2::int[]) AS p(id, port) WHERE s.mailbox_id = p.id`,
    [mailboxIds, providers.map(({ port }) => port), security],
  )
}

/** A running campaign, all of it due now, whose mailboxes send through this provider. */
export async function makeSending(pool: pg.Pool, port: number, wanted: Wanted): Promise<SendingPlace> {
  const { prospects, steps = 1, mailboxes = 4, dailyQuota = 1_000_000, settings = {} } = wanted
  const campaign = await makeCampaign(pool, {
    delays: Array.from({ length: steps }, () => 0),
    mailboxes,
    settings: {
      time_zone: 'UTC',
      daily_quota: dailyQuota,
      jitter_min_seconds: 0,
      jitter_max_seconds: 0,
      postal_address: 'Acme Ltd, 1 Main Street, Springfield',
      ...settings,
    },
    limits: { dailyLimit: 1_000_000, rollingLimit: 1_000_000 },
  })
  const { workspaceId, mailboxIds } = campaign
  const keys = readKeyring(ENCRYPTION_KEYS)
  if (!keys.ok) throw new Error(keys.problem)
  for (const mailboxId of mailboxIds) {
    await pool.query(
      `INSERT INTO smtp_settings (mailbox_id, workspace_id, host, port, security, username, updated_at)
       VALUES ($1, $2, '127.0.0.1', $3, 'NONE', 'ann', app_now())`,
      [mailboxId, workspaceId, port],
    )
    const place = { workspaceId, ownerKind: 'mailbox', ownerId: mailboxId, field: 'smtp-password' }
    await storeCredential(pool, keys.keyring, place, 'a password')
  }
  await pool.query(
    `UPDATE sequence_steps SET subject = 'Hello {{firstName | "there"}}', body_text = 'Step ' || step_number || ' for {{email}}.'
     WHERE sequence_id = $1`,
    [campaign.sequenceId],
  )
  // Last: a worker that is there already must find a mailbox that can send.
  await makeEmails(pool, campaign, prospects, steps)
  return { ...campaign, emails: prospects * steps }
}
