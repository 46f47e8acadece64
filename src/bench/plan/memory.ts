import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '#cli/project.ts'
import { createPool } from '#lib/platform/database.ts'
import type { BenchServer } from '../server.ts'
import { makeBenchCampaign } from './workspace.ts'

/** A small function's heap. Left alone, V8 lets garbage pile up to what the machine has, and one would measure that. */
const HEAP_FLAGS = ['--max-old-space-size=96', '--max-semi-space-size=2']

/** The largest resident size, in MB, of a process that schedules this many recipients, start to end. */
export async function peakMemoryMb(server: BenchServer, recipients: number): Promise<number> {
  const url = await server.newDatabase(`memory_${recipients}`, true)
  const pool = createPool(url, 2)
  const { workspaceId, campaignId } = await makeBenchCampaign(pool, recipients, [0], 500)
  await pool.end()
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...HEAP_FLAGS,
    join(projectRoot, 'src/bench/plan/schedule-and-weigh.ts'),
    url,
    workspaceId,
    campaignId,
  ])
  return Number(stdout) / 1024
}
