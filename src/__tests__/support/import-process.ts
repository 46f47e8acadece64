import { createReadStream } from 'node:fs'
import { withImportFile } from '#lib/audience/import-file.ts'
import { importOptionsSchema } from '#lib/audience/import-mapping.ts'
import { importProspects } from '#lib/audience/import-prospects.ts'
import { createPool } from '#lib/platform/database.ts'
import { actor, audienceOf } from './audience.ts'

/**
 * Imports one file in a process that a test can kill and whose memory it can ask for:
 * node import-process.ts URL WORKSPACE FILE KEY
 */
const [url = '', workspaceId = '', path = '', key = ''] = process.argv.slice(2)
const pool = createPool(url, 2)
const { hash, consequences } = await audienceOf(pool, workspaceId, key)
const options = importOptionsSchema.parse({ columns: [{ to: 'email' }, { to: 'firstName' }], onKnown: 'leave' })
process.send?.('begun')
const startedAt = performance.now()
const report = await withImportFile(createReadStream(path), (file) =>
  importProspects(pool, workspaceId, hash, file, options, actor, consequences),
)
const seconds = (performance.now() - startedAt) / 1000
process.send?.({ seconds, megabytes: process.resourceUsage().maxRSS / 1024, lines: report.lines })
await pool.end()
process.disconnect()
