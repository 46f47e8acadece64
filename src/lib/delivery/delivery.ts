import type pg from 'pg'
import type { LastLook, ReadyEmail } from '#lib/email-scheduler/send/final-check.ts'
import type { TimeLeft } from '#lib/mail/deadline.ts'
import type { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import type { Log } from '#lib/platform/log.ts'
import type { ConnectionKeeper } from './connections.ts'
import type { Lanes } from './lanes.ts'
import type { Permits } from './permits.ts'
import type { PrepareContents } from './prepare.ts'
import type { SendingCounts } from './sending-counts.ts'
import type { Settling } from './settling.ts'

/** What a sender delivers with, one for all of its emails. */
export type Delivery = {
  pool: pg.Pool
  log: Log
  keeper: ConnectionKeeper
  prepare: PrepareContents
  /** By mailbox: what has its connection while a mark is being committed is marked together by the next. */
  marks: AskedTogether<readonly ReadyEmail[], LastLook>
  settling: Settling
  submitMsMax: number
  counts: SendingCounts
  permits: Permits
  lanes: Lanes
  /** How long a hand-over may begin: one that began later could outlive the process. */
  beginning: TimeLeft
  /** Told of each email whose attempt has come to its end, for the caller that waits for it. */
  ended?: (emailId: string) => void
}
