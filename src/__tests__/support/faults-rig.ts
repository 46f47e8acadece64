import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { projectRoot } from '#cli/project.ts'
import { newId } from '#lib/platform/id.ts'
import { generateKey, readKeyring } from '#lib/platform/keyring.ts'
import { storeCredential } from '#lib/tenancy/credentials.ts'
import { makeProspects, makeRunningCampaign, makeWorkspace } from './planning.ts'
import { makeEmailsFor } from './queue.ts'
import { endsWithUs, hasEnded } from './reaper.ts'
import type { PeerOptions, PeerRecord, PeerScript } from './scripted-smtp.ts'

/** What a worker is started with; the rest is as shipped. */
export type WorkerSettings = {
  connections?: number
  leaseSeconds?: number
  submitSeconds?: number
  poolMax?: number
  nodeOptions?: string
  /** A file of certificates that are trusted besides the system's. */
  extraCa?: string
}

export type Provider = {
  port: number
  /** From now on; holds once it resolves. */
  play(script: PeerScript): Promise<void>
  ledger(): PeerRecord[]
  stop(): Promise<void>
}

/** A provider in a process of its own: what it accepted is on disk before it says so, and outlives whoever is killed. */
export async function startProvider(script: PeerScript = {}): Promise<Provider> {
  const [provider] = await startProviders([{ script }])
  if (!provider) throw new Error('the provider did not start')
  return provider
}

/** Several in one process, each with its own port, script and ledger. To stop one is to stop them all. */
export async function startProviders(wanted: readonly PeerOptions[]): Promise<Provider[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-provider-'))
  const options = wanted.map((each, index) => ({ ...each, ledger: join(folder, `ledger-${index}`) }))
  const child = fork(join(projectRoot, 'src/__tests__/support/scripted-smtp-process.ts'), [JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
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

const ENCRYPTION_KEYS = generateKey(new Date('2026-01-01'))

/** What a process of the product needs in its environment. */
export function workerEnvironment(databaseUrl: string, settings: WorkerSettings = {}): NodeJS.ProcessEnv {
  const { connections = 4, leaseSeconds = 10, submitSeconds = 3, poolMax = 10, nodeOptions = '', extraCa } = settings
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    NODE_OPTIONS: nodeOptions,
    NODE_EXTRA_CA_CERTS: extraCa,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_MAX: String(poolMax),
    SEND_CONNECTIONS: String(connections),
    LEASE_SECONDS: String(leaseSeconds),
    SUBMIT_SECONDS: String(submitSeconds),
    SMTP_ALLOW_PRIVATE_HOSTS: 'true',
    APP_URL: 'http://sendonce.test',
    CRON_SECRET: 'a secret for tests only',
    AUTH_SECRET: 'a secret of thirty-two characters or more',
    ENCRYPTION_KEYS,
    LOG_LEVEL: 'info',
  }
}

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

  /** In good order; answers the exit code. */
  async stop(): Promise<number | null> {
    await ended(this.process, () => this.process.kill('SIGTERM'))
    return this.process.exitCode
  }
}

function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((done) => {
    child.once('exit', () => done())
    end()
  })
}

export type SendingPlace = {
  workspaceId: string
  campaignId: string
  sequenceId: string
  mailboxIds: string[]
  emails: number
}

type Wanted = {
  prospects: number
  steps?: number
  mailboxes?: number
  dailyQuota?: number
  settings?: Record<string, unknown>
}

export type Held = { SENDING: number; MARKED: number }

/** What this worker holds just now, at one of its mailboxes or at all. */
export async function heldBy(pool: pg.Pool, worker: Worker, mailboxId?: string): Promise<Held> {
  const { rows } = await pool.query<Held>(
    `SELECT count(*) FILTER (WHERE marked_token IS DISTINCT FROM lease_token)::int AS "SENDING",
       count(*) FILTER (WHERE marked_token = lease_token)::int AS "MARKED"
     FROM scheduled_emails WHERE status = 'SENDING' AND leased_by LIKE $1 AND ($2::uuid IS NULL OR mailbox_id = $2)`,
    [worker.name, mailboxId ?? null],
  )
  return rows[0] ?? { SENDING: 0, MARKED: 0 }
}

/** Until it is released, no attempt can be written down: what a provider accepts stays unsettled. */
export async function holdSettlements(pool: pg.Pool): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE email_attempts IN SHARE MODE')
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Each mailbox sends through the provider at its place. */
export async function sendThrough(
  pool: pg.Pool,
  mailboxIds: readonly string[],
  providers: readonly Provider[],
  security: 'NONE' | 'STARTTLS' = 'NONE',
): Promise<void> {
  await pool.query(
    `UPDATE smtp_settings s SET port = p.port, security = $3::smtp_security, updated_at = app_now()
     FROM unnest($1::uuid[], $2::int[]) AS p(id, port) WHERE s.mailbox_id = p.id`,
    [mailboxIds, providers.map(({ port }) => port), security],
  )
}

/** A running campaign, all of it due now, whose mailboxes send through this provider. */
export async function makeSending(pool: pg.Pool, port: number, wanted: Wanted): Promise<SendingPlace> {
  const { prospects, steps = 1, mailboxes = 4, dailyQuota = 1_000_000, settings = {} } = wanted
  const { workspaceId, mailboxIds } = await makeWorkspace(pool, {
    mailboxes,
    settings: {
      time_zone: 'UTC',
      daily_quota: dailyQuota,
      jitter_min_seconds: 0,
      jitter_max_seconds: 0,
      postal_address: 'Acme Ltd, 1 Main Street, Springfield',
      ...settings,
    },
    limits: { dailyLimit: 1_000_000, rollingLimit: 1_000_000 },
  })
  const keys = readKeyring(ENCRYPTION_KEYS)
  if (!keys.ok) throw new Error(keys.problem)
  for (const mailboxId of mailboxIds) {
    await pool.query(
      `INSERT INTO smtp_settings (mailbox_id, workspace_id, host, port, security, username, updated_at)
       VALUES ($1, $2, '127.0.0.1', $3, 'NONE', 'ann', app_now())`,
      [mailboxId, workspaceId, port],
    )
    const place = { workspaceId, ownerKind: 'mailbox', ownerId: mailboxId, field: 'smtp-password' }
    await storeCredential(pool, keys.keyring, place, 'a password')
  }
  const sequenceId = newId()
  await pool.query(`INSERT INTO sequences (id, workspace_id, name, updated_at) VALUES ($1, $2, 'Welcome', app_now())`, [
    sequenceId,
    workspaceId,
  ])
  await pool.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, subject, body_text, updated_at)
     SELECT gen_random_uuid(), $1, n, 0, 'Hello {{firstName | "there"}}', 'Step ' || n || ' for {{email}}.', app_now() FROM generate_series(1, $2) n`,
    [sequenceId, steps],
  )
  const campaign = await makeRunningCampaign(pool, workspaceId, sequenceId)
  await makeEmailsFor(pool, campaign, mailboxIds, await makeProspects(pool, workspaceId, prospects), steps)
  return { ...campaign, mailboxIds, emails: prospects * steps }
}

/** Asks again and again until the answer is there; whoever waits in vain is told for what. */
export async function until<T>(
  what: string | (() => string),
  ask: () => Promise<T | undefined | false>,
  msMax = 30_000,
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() - started > msMax)
      throw new Error(`waited ${msMax / 1000} s in vain until ${typeof what === 'string' ? what : what()}`)
    await sleep(10)
  }
}

/** How many emails are where, in flight told apart by the mark. */
export async function countStates(pool: pg.Pool, ...campaignIds: string[]): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ state: string; count: number }>(
    `SELECT CASE WHEN status = 'SENDING' AND marked_token = lease_token THEN 'MARKED' ELSE status::text END AS state, count(*)::int
     FROM scheduled_emails WHERE campaign_id = ANY($1::uuid[]) GROUP BY 1`,
    [campaignIds],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** Until nothing waits and nothing is held. */
export async function untilAtRest(pool: pg.Pool, campaignIds: readonly string[], msMax = 240_000): Promise<void> {
  await until(
    'everything has come to rest',
    async () => {
      // A database that is just restarting says nothing.
      const states = await countStates(pool, ...campaignIds).catch(() => undefined)
      if (!states) return false
      const { SCHEDULED = 0, RETRY_SCHEDULED = 0, SENDING = 0, MARKED = 0 } = states
      return SCHEDULED + RETRY_SCHEDULED + SENDING + MARKED === 0
    },
    msMax,
  )
}
