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
import type { PeerRecord, PeerScript } from './scripted-smtp.ts'

/** What a worker is started with; the rest is as shipped. */
export type WorkerSettings = {
  connections?: number
  leaseSeconds?: number
  submitSeconds?: number
  poolMax?: number
  nodeOptions?: string
  databaseUrl?: string
}

export type Provider = { port: number; play(script: PeerScript): void; ledger(): PeerRecord[]; stop(): Promise<void> }

/** A provider in a process of its own: what it accepted is on disk before it says so, and outlives whoever is killed. */
export async function startProvider(script: PeerScript = {}): Promise<Provider> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-provider-'))
  const ledgerFile = join(folder, 'ledger')
  const child = fork(
    join(projectRoot, 'src/__tests__/support/scripted-smtp-process.ts'),
    [JSON.stringify({ ledger: ledgerFile, script })],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const { port } = await new Promise<{ port: number }>((done, failed) => {
    child.once('message', (ready) => done(ready as { port: number }))
    child.once('exit', () => failed(new Error('the provider did not start')))
  })
  return {
    port,
    play: (next) => void child.send(next),
    ledger: () =>
      readFileSync(ledgerFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as PeerRecord),
    async stop() {
      await ended(child, () => child.kill('SIGTERM'))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const ENCRYPTION_KEYS = generateKey(new Date('2026-01-01'))

/** `npm run worker`, as it is shipped, on this database. */
export class Worker {
  readonly process: ChildProcess
  #log = ''

  constructor(databaseUrl: string, settings: WorkerSettings = {}) {
    const { connections = 4, leaseSeconds = 10, submitSeconds = 3, poolMax = 10, nodeOptions = '' } = settings
    this.process = spawn(process.execPath, [join(projectRoot, 'src/cli/worker.ts')], {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        NODE_OPTIONS: nodeOptions,
        DATABASE_URL: settings.databaseUrl ?? databaseUrl,
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
      },
    })
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text
      })
    }
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

export type SendingPlace = { workspaceId: string; campaignId: string; mailboxIds: string[]; emails: number }

type Wanted = {
  prospects: number
  steps?: number
  mailboxes?: number
  dailyQuota?: number
  settings?: Record<string, unknown>
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
  return { workspaceId, campaignId: campaign.campaignId, mailboxIds, emails: prospects * steps }
}

/** Asks again and again until the answer is there; whoever waits in vain is told for what. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>, msMax = 30_000): Promise<T> {
  const started = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() - started > msMax) throw new Error(`waited ${msMax / 1000} s in vain until ${what}`)
    await sleep(10)
  }
}

/** How many emails are where, in flight told apart by the mark. */
export async function countStates(pool: pg.Pool, campaignId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ state: string; count: number }>(
    `SELECT CASE WHEN status = 'SENDING' AND marked_token = lease_token THEN 'MARKED' ELSE status::text END AS state, count(*)::int
     FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1`,
    [campaignId],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
