import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { type Happening, readJournal } from '#fake-google/journal.ts'
import type { FakeGoogleAsk, FakeGoogleReady } from '#fake-google/main.ts'
import type { Play } from '#fake-google/script.ts'
import { type Google, googleAt } from '#lib/mail/gmail/google.ts'
import { ended } from '#tests/support/faults/ended.ts'
import type { PeerRecord } from '#tests/support/mail/scripted-smtp.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import { CLIENT } from './client.ts'

/** Limits that no test means to reach. */
const ROOMY: Play = { unitsPerMinute: 1e9, sendsPerDay: 1e9 }

export type TestGoogle = {
  readonly url: string
  readonly google: Google
  /** From now on; holds once it resolves. */
  play(play: Play): Promise<void>
  /** The person takes all permissions of this account back, at Google's own pages. */
  takeBack(email: string): Promise<void>
  journal(): Happening[]
  /** What it sent, in the form that the checker of faults reads. */
  ledger(): PeerRecord[]
  /** Drafts that lie there. */
  drafts(): number
}

async function start(): Promise<TestGoogle & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-google-'))
  const child = fork(join(projectRoot, 'src/fake-google/main.ts'), ['--port', '0', '--dir', folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, FAKE_GOOGLE_CLIENT: `${CLIENT.clientId}:${CLIENT.clientSecret}` },
  })
  endsWithUs({ folder, ...(child.pid && { pid: child.pid }) })
  const { url } = await new Promise<FakeGoogleReady>((done, failed) => {
    child.once('message', (ready) => done(ready as FakeGoogleReady))
    child.once('exit', () => failed(new Error('what plays Google did not start')))
  })
  let asks = 0
  const ask = (what: { play: Play } | { takeBack: string }) =>
    new Promise<void>((done, failed) => {
      const id = ++asks
      const heard = (message: unknown) => {
        if (typeof message !== 'object' || message === null || !('done' in message) || message.done !== id) return
        child.off('message', heard)
        done()
      }
      child.on('message', heard)
      child.send({ ...what, id } satisfies FakeGoogleAsk, (error) => error && failed(error))
    })
  const journal = () => readJournal(join(folder, 'journal.jsonl'))
  await ask({ play: ROOMY })
  return {
    url,
    google: googleAt(CLIENT, url),
    play: (play) => ask({ play: { ...ROOMY, ...play } }),
    takeBack: (email) => ask({ takeBack: email }),
    journal,
    ledger: () => journal().flatMap((one) => (one.event === 'sent' && one.ownId ? [recordOf(one, one.ownId)] : [])),
    drafts: () => draftsIn(journal()),
    async stop() {
      await ended(child, () => child.kill('SIGTERM'))
      rmSync(folder, { recursive: true, force: true })
      hasEnded({ folder, ...(child.pid && { pid: child.pid }) })
    },
  }
}

type Sent = Extract<Happening, { event: 'sent' }>

function recordOf({ at, email, to }: Sent, ownId: string): PeerRecord {
  const when = new Date(at).toISOString()
  return { event: 'accepted', connection: 0, from: email, to, dataAt: when, acceptedAt: when, messageId: ownId }
}

function draftsIn(journal: readonly Happening[]): number {
  const left = new Set<string>()
  for (const one of journal) {
    if (one.event === 'drafted') left.add(one.draftId)
    if (one.event === 'draft-deleted' || one.event === 'sent') left.delete(one.draftId ?? '')
  }
  return left.size
}

/** One for the calling test file; there from beforeAll to afterAll. */
export function testGoogle(): TestGoogle {
  let started: Awaited<ReturnType<typeof start>> | undefined
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started?.stop())
  const opened = () => {
    if (!started) throw new Error('what plays Google is there only inside tests and hooks')
    return started
  }
  return {
    get url() {
      return opened().url
    },
    get google() {
      return opened().google
    },
    play: (play) => opened().play(play),
    takeBack: (email) => opened().takeBack(email),
    journal: () => opened().journal(),
    ledger: () => opened().ledger(),
    drafts: () => opened().drafts(),
  }
}
