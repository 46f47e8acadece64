import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '#cli/project.ts'
import type { DispatchSettings } from '#lib/dispatch/check-dispatch.ts'
import { generateKey } from '#lib/platform/keyring.ts'
import { CLIENT } from '#tests/support/gmail/client.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import { ended } from './ended.ts'

/** What a worker is started with; the rest is as shipped. */
export type WorkerSettings = {
  connections?: number
  leaseSeconds?: number
  submitSeconds?: number
  poolMax?: number
  nodeOptions?: string
  /** A file of certificates that are trusted besides the system's. */
  extraCa?: string
  /** Each has one of its own, as a machine has; the test's where two are to be on one machine. */
  witnessFolder?: string | undefined
  /** The rig's own, unless a worker is to have lost them. */
  encryptionKeys?: string
  /** Where the mailbox of the environment is, if this installation has one. */
  systemMailPort?: number
  /** What plays Google, where mailboxes are Gmail's. */
  googleUrl?: string
  /** The broker that it goes through; without one, as it is by default. */
  dispatch?: DispatchSettings
}

export const ENCRYPTION_KEYS = generateKey(new Date('2026-01-01'))

/** `npm run test:pooler` lets workers reach the test server through a pooler; tests themselves look at it directly. */
function throughPooler(databaseUrl: string): string {
  const { POOLER_PORT, POOLER_BEFORE } = process.env
  const url = new URL(databaseUrl)
  if (!POOLER_PORT || url.host !== POOLER_BEFORE) return databaseUrl
  url.host = `127.0.0.1:${POOLER_PORT}`
  return url.href
}

let ofThisTest: string | undefined
function witnessFolders(): string {
  if (!ofThisTest) {
    ofThisTest = mkdtempSync(join(tmpdir(), 'sendonce-witnesses-'))
    endsWithUs({ folder: ofThisTest })
  }
  return ofThisTest
}

/** What a process of the product needs in its environment. */
export function workerEnvironment(databaseUrl: string, settings: WorkerSettings = {}): NodeJS.ProcessEnv {
  const { connections = 4, leaseSeconds = 10, submitSeconds = 3, poolMax = 10, nodeOptions = '', extraCa } = settings
  const witnessFolder = settings.witnessFolder ?? mkdtempSync(join(witnessFolders(), 'machine-'))
  const { encryptionKeys = ENCRYPTION_KEYS, systemMailPort, googleUrl, dispatch } = settings
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    NODE_ENV: 'production',
    NODE_OPTIONS: nodeOptions,
    NODE_EXTRA_CA_CERTS: extraCa,
    DATABASE_URL: throughPooler(databaseUrl),
    DATABASE_POOL_MAX: String(poolMax),
    SEND_CONNECTIONS: String(connections),
    LEASE_SECONDS: String(leaseSeconds),
    SUBMIT_SECONDS: String(submitSeconds),
    WITNESS_DIR: witnessFolder,
    SMTP_ALLOW_PRIVATE_HOSTS: 'true',
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1, localhost',
    APP_URL: 'http://sendonce.test',
    CRON_SECRET: 'a secret for tests only',
    AUTH_SECRET: 'a secret of thirty-two characters or more',
    ENCRYPTION_KEYS: encryptionKeys,
    ...(systemMailPort !== undefined && {
      SYSTEM_MAIL_URL: `smtp://127.0.0.1:${systemMailPort}`,
      SYSTEM_MAIL_FROM: 'sendonce@example.com',
    }),
    ...(googleUrl !== undefined && {
      FAKE_GOOGLE_URL: googleUrl,
      GOOGLE_CLIENT_ID: CLIENT.clientId,
      GOOGLE_CLIENT_SECRET: CLIENT.clientSecret,
    }),
    ...dispatch,
    LOG_LEVEL: 'info',
  }
}

const STARTED = 'the worker has started'

/** `npm run worker`, as it is shipped, on this database. */
export class Worker {
  readonly process: ChildProcess
  #log = ''

  constructor(databaseUrl: string, settings: WorkerSettings = {}) {
    this.process = spawn(process.execPath, [join(projectRoot, 'src/cli/worker.ts')], {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: workerEnvironment(databaseUrl, settings),
    })
    const { pid } = this.process
    if (pid !== undefined) {
      endsWithUs({ pid })
      this.process.once('exit', () => hasEnded({ pid }))
    }
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text
      })
    }
  }

  /** As `leased_by` and the attempts name it, for LIKE. */
  get name(): string {
    return `%-${this.process.pid}-%`
  }

  get log(): string {
    return this.#log
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.process.kill(name)
  }

  /** As `kill -9` does: nothing is said, nothing is finished. */
  async kill(): Promise<void> {
    await ended(this.process, () => this.process.kill('SIGKILL'))
  }

  /** In good order, which begins where it listens for signals; answers the exit code. */
  async stop(): Promise<number | null> {
    while (this.process.exitCode === null && this.process.signalCode === null && !this.#log.includes(STARTED))
      await sleep(20)
    await ended(this.process, () => this.process.kill('SIGTERM'))
    return this.process.exitCode
  }
}

/**
 * Workers that are there while `work` is done, then end in good order, and are killed in any case. Where it fails, they
 * tell what they saw last.
 */
export async function withWorkers<T>(
  databaseUrl: string,
  settings: readonly WorkerSettings[],
  work: (workers: readonly Worker[]) => Promise<T>,
): Promise<T> {
  const workers = settings.map((each) => new Worker(databaseUrl, each))
  try {
    const result = await work(workers)
    for (const worker of workers) {
      const code = await worker.stop()
      if (code !== 0) throw new Error(`a worker ended with ${code}`)
    }
    return result
  } catch (error) {
    for (const worker of workers) process.stderr.write(`\n${worker.log.slice(-4_000)}\n`)
    throw error
  } finally {
    for (const worker of workers) await worker.kill()
  }
}
