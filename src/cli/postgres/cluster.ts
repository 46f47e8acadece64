import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, mkdtemp, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Problem } from '../problem.ts'
import type { ServerAccount } from './account.ts'
import type { Binaries } from './binaries.ts'

export const SUPERUSER = 'sendonce'

/**
 * Makes the database cluster at `path` unless it is there, and answers where it really lies. Run by another account
 * under a folder which that account cannot enter, it lies in a folder of the system's and `path` is a link to it.
 */
export async function ensureCluster(
  path: string,
  password: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
): Promise<string> {
  const linked = await readlink(path).catch(() => undefined)
  if (linked !== undefined) {
    if (await exists(linked)) return linked
    throw new Problem(
      `The database's folder ${linked}, to which ${path} points, is gone. Put it back, or remove ${path} to begin anew.`,
    )
  }
  if (await exists(path)) return path
  await mkdir(dirname(path), { recursive: true })
  const home = await findHome(path, account)
  const fresh = await makeCluster(home, password, binaries, account)
  try {
    if (home === dirname(path)) await rename(fresh, path)
    else await symlink(fresh, path)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // Another start has made its own in the same moment: that one is it.
    if (!(await exists(path))) throw error
    return (await readlink(path).catch(() => undefined)) ?? path
  }
  return home === dirname(path) ? path : fresh
}

/** initdb works in a folder with a name of its own: one cut short is never taken for a database. */
async function makeCluster(
  home: string,
  password: string,
  binaries: Binaries,
  account: ServerAccount | undefined,
): Promise<string> {
  const folder = await mkdtemp(join(home, 'postgres-'))
  if (account) await chown(folder, account.uid, account.gid)
  const passwordFile = join(tmpdir(), `sendonce-${randomBytes(8).toString('hex')}`)
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (account) await chown(passwordFile, account.uid, account.gid)
  try {
    const made = spawnSync(
      binaries.initdb,
      [
        '-D',
        folder,
        '-U',
        SUPERUSER,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
      ],
      { uid: account?.uid, gid: account?.gid, cwd: '/', encoding: 'utf8' },
    )
    if (made.status !== 0) {
      await rm(folder, { recursive: true, force: true })
      throw new Problem(
        `Postgres could not make its database in ${folder}: ${reasonIn(made.stderr) || made.error?.message || 'no reason was given'}`,
      )
    }
    return folder
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function findHome(path: string, account: ServerAccount | undefined): Promise<string> {
  const wanted = dirname(path)
  if (!account || (await canEnter(wanted, account))) return wanted
  for (const home of ['/var/lib/sendonce', join(tmpdir(), 'sendonce')]) {
    try {
      await mkdir(home, { recursive: true })
      // Not left to the umask, which closes what is made.
      await chmod(home, 0o755)
      if (await canEnter(home, account)) return home
    } catch {
      // A read-only system folder: the next place is tried.
    }
  }
  throw new Problem(
    `The account "${account.name}", which runs Postgres because root may not, can enter neither ${wanted} nor a folder of the system's. Start Sendonce as an ordinary user, or set DATABASE_URL.`,
  )
}

/** Every folder on the way must let the account through. */
async function canEnter(folder: string, account: ServerAccount): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** Behind the reason, initdb tells how it cleans up. */
function reasonIn(said: string | null): string {
  const lines = said?.trim().split('\n') ?? []
  return lines.find((line) => /\b(?:error|FATAL|PANIC)\b:/.test(line)) ?? lines.at(-1) ?? ''
}
