import type pg from 'pg'
import { readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import { resolverFor } from '#lib/mail/smtp/resolve-name.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { type Log, log } from '#lib/platform/log.ts'
import { ownersOf } from '#lib/tenancy/people/owners.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { Courier } from '#lib/webhooks/courier.ts'
import { webhookDisabledMail } from '#lib/webhooks/disabled-mail.ts'
import type { WebhookContext } from '#lib/webhooks/endpoints.ts'
import type { TellOwners } from '#lib/webhooks/settle.ts'
import type { Reach } from '#lib/webhooks/target.ts'
import { keyring } from './keyring.ts'
import { storeSystemMail } from './system-mail.ts'

function reach(): Reach {
  const allowed = readAllowedHosts(env().WEBHOOK_ALLOW_PRIVATE_HOSTS)
  return { allowed, resolve: resolverFor(allowed) }
}

/** The mails go out with the ticks, like every other. */
const tellOwners: TellOwners = async (tx, disabled) => {
  for (const owner of await ownersOf(tx, disabled.workspaceId))
    await storeSystemMail(tx, webhookDisabledMail(env().APP_URL, owner, disabled))
}

/** What delivers events in this process. */
export function makeCourier(pool: pg.Pool, keys: Keyring, workerLog: Log): Courier {
  return new Courier({ pool, log: workerLog, keyring: keys, reach: reach(), tellOwners })
}

/** For what a person waits for. */
export function courier(): Courier {
  return makeCourier(database(), keyring(), log)
}

/** Where a person of a workspace adds and changes webhooks. */
export function webhookContext({ workspace, actor }: { workspace: { id: string }; actor: Actor }): WebhookContext {
  return { pool: database(), keyring: keyring(), reach: reach(), workspaceId: workspace.id, actor }
}
