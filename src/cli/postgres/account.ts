import { readFileSync } from 'node:fs'
import { Problem } from '../problem.ts'

/** The system account that runs Postgres when we are root, which Postgres refuses to run as. */
export type ServerAccount = { name: string; uid: number; gid: number }

/** Undefined means: as ourselves. Nothing is added to the system: every Linux has one of these accounts. */
export function findServerAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const found = accounts.find((fields) => fields[0] === name)
    if (found) return { name, uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new Problem(
    'Postgres will not run as root, and this system has no account "postgres" or "nobody". Start Sendonce as an ordinary user, or set DATABASE_URL.',
  )
}
