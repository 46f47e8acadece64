import { createList } from '#lib/audience/lists.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { claimKey } from '#lib/platform/http/keyed.ts'
import { keyStoreOf } from '#lib/tenancy/kept-answers.ts'

/**
 * One `POST /api/lists` under an Idempotency-Key, in a process that a test kills where it says that it is:
 * node keyed-process.ts URL WORKSPACE PERSON KEY NAME STAGE
 */
const [url = '', workspaceId = '', personId = '', key = '', name = '', stage = ''] = process.argv.slice(2)
const pool = createPool(url, 2)
const store = keyStoreOf(pool, { workspaceId, callerId: personId, operation: 'POST /api/lists', key })
await claimKey(store, { content: { name } })
await haltAt('claimed')
await inTransaction(pool, async (tx) => {
  const list = await createList(tx, workspaceId, name)
  const headers = { location: `/api/lists/${list.id}` }
  await store.keep(tx, { status: 201, headers, body: JSON.stringify(list) })
  await haltAt('made')
})
await haltAt('committed')

async function haltAt(here: string): Promise<void> {
  if (here !== stage) return
  process.send?.(here)
  await new Promise(() => setInterval(() => undefined, 1_000))
}
