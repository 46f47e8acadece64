import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import type { PeerOptions, PeerRecord, PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import { ended } from './ended.ts'

export type Provider = {
  port: number
  /** From now on; holds once it resolves. */
  play(script: PeerScript): Promise<void>
  ledger(): PeerRecord[]
  stop(): Promise<void>
}

/** A provider in a process of its own: what it accepted is on disk before it says so, and outlives the killed worker. */
export async function startProvider(script: PeerScript = {}): Promise<Provider> {
  const [provider] = await startProviders([{ script }])
  if (!provider) throw new Error('the provider did not start')
  return provider
}

/** Several in one process, each with its own port, script and ledger. To stop one is to stop them all. */
export async function startProviders(wanted: readonly PeerOptions[]): Promise<Provider[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-provider-'))
  const options = wanted.map((each, index) => ({ ...each, ledger: join(folder, `ledger-${index}`) }))
  const child = fork(
    join(projectRoot, 'src/__tests__/support/mail/scripted-smtp-process.ts'),
    [JSON.stringify(options)],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  endsWithUs({ folder, ...(child.pid && { pid: child.pid }) })
  const { ports } = await new Promise<{ ports: number[] }>((done, failed) => {
    child.once('message', (ready) => done(ready as { ports: number[] }))
    child.once('exit', () => failed(new Error('the provider did not start')))
  })
  let scripts = 0
  const play = (peer: number, script: PeerScript) =>
    new Promise<void>((done, failed) => {
      const id = ++scripts
      const heard = (message: unknown) => {
        if (typeof message !== 'object' || message === null || !('played' in message) || message.played !== id) return
        child.off('message', heard)
        done()
      }
      child.on('message', heard)
      child.send({ peer, script, id }, (error) => error && failed(error))
    })
  return options.map(({ ledger }, peer) => ({
    port: ports[peer] ?? 0,
    play: (script) => play(peer, script),
    ledger: () => readLedger(ledger),
    async stop() {
      await ended(child, () => child.kill('SIGTERM'))
      rmSync(folder, { recursive: true, force: true })
      hasEnded({ folder, ...(child.pid && { pid: child.pid }) })
    },
  }))
}

function readLedger(file: string): PeerRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  // The last line may be half written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as PeerRecord)
}

/** One for the calling test file; there from beforeAll to afterAll. */
export function testProvider(script: PeerScript = {}): Provider {
  const all = testProviders(() => [{ script }])
  const opened = () => {
    const [provider] = all
    if (!provider) throw new Error('the provider is there only inside tests and hooks')
    return provider
  }
  return {
    get port() {
      return opened().port
    },
    play: (script) => opened().play(script),
    ledger: () => opened().ledger(),
    stop: () => opened().stop(),
  }
}

/** Several for the calling test file; empty before beforeAll. */
export function testProviders(wanted: () => readonly PeerOptions[]): Provider[] {
  const providers: Provider[] = []
  beforeAll(async () => {
    providers.push(...(await startProviders(wanted())))
  })
  afterAll(() => providers[0]?.stop())
  return providers
}
