import { after } from 'next/server'
import { advanceBulk } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import { type BulkReport, readBulk } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { database } from '#lib/platform/database.ts'
import { log } from '#lib/platform/log.ts'

/** What is done within this is in the answer. */
const ANSWER_MS = 1_500
/** And so much after it, before ticks go on alone. */
const AFTER_MS = 20_000

/** Begins at once, and goes on after the answer; ticks do what is left, wherever this process is by then. */
export async function workAtOnce(workspaceId: string, id: string): Promise<BulkReport> {
  if (!(await isThroughWithin(id, ANSWER_MS))) after(() => isThroughWithin(id, AFTER_MS))
  return readBulk(database(), workspaceId, id)
}

/** What fails here is no failure of the wish, which is kept: the next tick goes on with it. */
async function isThroughWithin(id: string, forMs: number): Promise<boolean> {
  const started = performance.now()
  try {
    while (performance.now() - started < forMs) if ((await advanceBulk(database(), id)) === null) return true
  } catch (error) {
    log.error({ error, bulkId: id }, 'a bulk waits for the next tick')
    return true
  }
  return false
}
