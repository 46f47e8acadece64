import { access, chmod, constants, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endsWithUs } from './reaper.ts'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
/** Several times what a whole run holds at its height. */
const PLENTY = 8 * 2 ** 30

/**
 * A folder for the data of a server that nobody keeps: in memory, where there is plenty of it. A test database is 740
 * files, and for each the file system of a disk looks past all that were deleted in the minutes before; a quarter of
 * Postgres' work was that. What lies in memory must not outlive us, so it ends with us.
 */
export async function scratchFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join((await hasPlentyOfMemory()) ? MEMORY : tmpdir(), `sendonce-${name}-`))
  endsWithUs({ folder })
  // As root, the account that runs Postgres must get in; else the data would lie elsewhere and outlive the run.
  await chmod(folder, 0o755)
  return folder
}

async function hasPlentyOfMemory(): Promise<boolean> {
  try {
    await access(MEMORY, constants.W_OK)
    const { type, bavail, bsize } = await statfs(MEMORY)
    return type === TMPFS && bavail * bsize >= PLENTY && process.availableMemory() >= PLENTY
  } catch {
    return false
  }
}
