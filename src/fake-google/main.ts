import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deliverTo } from './deliver.ts'
import { type Play, Script } from './script.ts'
import { listen } from './server.ts'
import { State } from './state.ts'

const USAGE = `Usage: node src/fake-google/main.ts --port N --dir PATH [--deliver-to SMTP-PORT] [--no-quotas]

Plays Google for this machine only: signing in, tokens, and the parts of the Gmail API that a mailbox sends with. What was
sent stands in PATH/journal.jsonl before it is answered. Port 0 is any free one, told on stdout or to a parent that forked
it. FAKE_GOOGLE_CLIENT is the client that may ask, as id:secret.`

/** What is told once it can be used; and what a parent may ask for. */
export type FakeGoogleReady = { port: number; url: string; pid: number }
export type FakeGoogleAsk = { id: number } & ({ play: Play } | { takeBack: string })

process.umask(0o077)
const text = { type: 'string' } as const
const { values } = parseArgs({
  strict: false,
  options: { port: text, dir: text, 'deliver-to': text, 'no-quotas': { type: 'boolean' } },
})
const port = Number(values.port)
const deliverPort = values['deliver-to'] === undefined ? undefined : Number(values['deliver-to'])
const [id = '', secret = ''] = (process.env.FAKE_GOOGLE_CLIENT ?? '').split(':')
if (!Number.isInteger(port) || typeof values.dir !== 'string' || !id || !secret || Number.isNaN(deliverPort))
  fail(USAGE)

// What was answered is on the disk by then, so the end needs no preparation.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(event, () => process.exit(0))

try {
  const script = new Script()
  if (values['no-quotas']) script.set({ unitsPerMinute: Number.MAX_SAFE_INTEGER, sendsPerDay: Number.MAX_SAFE_INTEGER })
  const state = new State(join(values.dir, 'journal.jsonl'))
  const google = { state, script, client: { id, secret }, deliver: deliverTo(deliverPort) }
  const { port: listening, oauth } = await listen(google, port)
  process.on('message', (message) => {
    const ask = message as FakeGoogleAsk
    if ('play' in ask) script.set(ask.play)
    else oauth.takeBack(ask.takeBack)
    process.send?.({ done: ask.id })
  })
  const ready: FakeGoogleReady = { port: listening, url: `http://127.0.0.1:${listening}`, pid: process.pid }
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
