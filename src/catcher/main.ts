import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { listenHttp } from './http.ts'
import { listenSmtp } from './smtp.ts'
import { openStore } from './store.ts'

const USAGE = `Usage: node src/catcher/main.ts --smtp-port N --http-port N --dir PATH [--keep N] [--faults]

Catches every mail and shows it, for this machine only. Port 0 is any free one, told on stdout. It keeps 5000 mails, or
as many as --keep says. With --faults it refuses mails for bounce@…, refuse@… and busy@…, and breaks the line for lost@….
The token in CATCHER_TOKEN opens the inbox; unset, the catcher makes one and says it.`

/** What is reported once mail can be sent, as a line of JSON on stdout and as a message to a parent that forked us. */
export type CatcherReady = { smtpPort: number; httpPort: number; url: string; token: string; pid: number }

// The mails hold links that reset passwords: no other account of this machine may read them.
process.umask(0o077)
const text = { type: 'string' } as const
const options = {
  'smtp-port': text,
  'http-port': text,
  dir: text,
  keep: { ...text, default: '5000' },
  faults: { type: 'boolean' },
} as const
const { values } = parseArgs({ strict: false, options })
const numbers = [values['smtp-port'], values['http-port'], values.keep].map(Number)
const [smtpWanted = 0, httpWanted = 0, keep = 0] = numbers
if (!numbers.every(Number.isInteger) || keep < 1 || typeof values.dir !== 'string') fail(USAGE)

// A mail that was answered with 250 is on the disk by then, so the end needs no preparation. A parent that dies by
// SIGKILL says nothing; the channel to it closes all the same.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(event, () => process.exit(0))

// In the environment and not among the arguments, which every account of the machine can list.
const token = process.env.CATCHER_TOKEN || randomBytes(24).toString('base64url')
try {
  const store = await openStore(values.dir, keep)
  const smtpPort = await listenSmtp(store, smtpWanted, values.faults === true)
  const httpPort = await listenHttp({ store, token, smtpPort }, httpWanted)
  const ready: CatcherReady = { smtpPort, httpPort, url: `http://127.0.0.1:${httpPort}`, token, pid: process.pid }
  if (process.send) process.send(ready)
  else process.stdout.write(`${JSON.stringify(ready)}\n`)
} catch (error) {
  const taken = error instanceof Error && 'port' in error && 'code' in error && error.code === 'EADDRINUSE'
  fail(taken ? `Port ${error.port} is taken by another program. Choose another, or 0 for any that is free.` : error)
}

function fail(why: unknown): never {
  process.stderr.write(`${why instanceof Error ? why.message : why}\n`)
  process.exit(1)
}
