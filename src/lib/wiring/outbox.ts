import { ConnectionKeeper } from '#lib/delivery/connections.ts'
import { Lanes } from '#lib/delivery/lanes.ts'
import { Permits } from '#lib/delivery/permits.ts'
import { Settling } from '#lib/delivery/settling.ts'
import { openMailbox } from '#lib/mail/provider.ts'
import { Outbox } from '#lib/outbox/outbox.ts'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { log } from '#lib/platform/log.ts'
import { keyring } from './keyring.ts'
import { sendingMeans } from './sending-means.ts'

// Hot reload loads this module again; connections must not multiply with it.
const shared = globalThis as typeof globalThis & { sendonceOutbox?: Outbox }

/** What hands transactional email over in this process. */
export function outbox(): Outbox {
  shared.sendonceOutbox ??= makeOutbox()
  return shared.sendonceOutbox
}

function makeOutbox(): Outbox {
  const pool = database()
  const { APP_URL, LEASE_SECONDS, SEND_CONNECTIONS, SUBMIT_SECONDS } = env()
  const { providers, prepare, hasherIn } = sendingMeans(pool, keyring(), APP_URL)
  return new Outbox({
    ...{ pool, log, prepare },
    marks: new AskedTogether(),
    keeper: new ConnectionKeeper((mailbox) => openMailbox(providers, mailbox)),
    settling: new Settling(pool, log, hasherIn),
    permits: new Permits(SEND_CONNECTIONS),
    lanes: new Lanes(SEND_CONNECTIONS),
    submitMsMax: SUBMIT_SECONDS * 1000,
    leaseMs: LEASE_SECONDS * 1000,
  })
}
