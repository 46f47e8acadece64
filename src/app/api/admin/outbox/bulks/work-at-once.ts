import { setTimeout as sleep } from 'node:timers/promises'
import { after } from 'next/server'
import { advanceBulk } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import { type BulkReport, readBulk } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { database } from '#lib/platform/database.ts'
import { log } from '#lib/platform/log.ts'

/** What is done within this is in the answer, however long a slice waits for what others hold. */
const ANSWER_MS = 1_500
/** Then ticks go on alone. */
const WORK_MS = 20_000

/** Begins at once, and goes on after the answer; ticks do what is left, wherever this process is by then. */
export async function workAtOnce(workspaceId: string, id: string): Promise<BulkReport> {
  const work = workOn(id)
  after(() => work)
  await Promise.race([work, sleep(ANSWER_MS, undefined, { ref: false })])
  return readBulk(database(), workspaceId, id)
}

/** What fails here is no failure of the wish, which is kept: the next tick goes on with it. */
async function workOn(id: string): Promise<void> {
  const started = performance.now()
  try {
    while (performance.now() - started < WORK_MS && (await advanceBulk(database(), id)) !== null);
  } catch (error) {
    log.error({ error, bulkId: id }, 'a bulk waits for the next tick')
  }
}
