import { createReadStream } from 'node:fs'
import { withImportFile } from '#lib/audience/import/import-file.ts'
import { importOptionsSchema } from '#lib/audience/import/import-mapping.ts'
import { importProspects } from '#lib/audience/import/import-prospects.ts'
import { createPool } from '#lib/platform/database.ts'
import { actor } from '#tests/support/data/people.ts'
import { audienceOf } from '#tests/support/data/prospects.ts'

/**
 * Imports one file in a process that a test can kill and whose memory it can ask for, where it was started with
 * `--expose-gc`: node import-process.ts URL WORKSPACE FILE KEY
 */
const [url = '', workspaceId = '', path = '', key = ''] = process.argv.slice(2)
const pool = createPool(url, 2)
const { hash, consequences } = await audienceOf(pool, workspaceId, key)
const options = importOptionsSchema.parse({ columns: [{ to: 'email' }, { to: 'firstName' }], onKnown: 'leave' })

/** What is held after each collection, within batches and between them. */
const held: number[] = []
const look = setInterval(() => {
  if (!globalThis.gc) return
  globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  held.push(heapUsed + arrayBuffers)
}, 50)

process.send?.('begun')
const startedAt = performance.now()
const report = await withImportFile(createReadStream(path), async (file) =>
  importProspects(pool, workspaceId, hash, await file.read(options), options, actor, consequences),
)
const seconds = (performance.now() - startedAt) / 1000
clearInterval(look)
// What the file leaves behind is there between batches as well; it would be the more, the later.
const kept = Math.min(...held.slice(held.length / 2))
process.send?.({ seconds, megabytes: kept / 2 ** 20, lines: report.lines })
await pool.end()
process.disconnect()
