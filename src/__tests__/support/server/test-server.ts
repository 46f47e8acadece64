import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '#cli/migrate/apply.ts'
import { startPostgres } from '#cli/postgres/server.ts'
import { endsWithUs, hasEnded } from './reaper.ts'
import { scratchFolder } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may make databases. */
    testServerUrl: string
    /** The migrated database that each test file clones. */
    templateDatabase: string
  }
}

const PREFIX = 'sendonce_test'
const LEFTOVER_SECONDS = 6 * 60 * 60

/** Once for each run: a server (DATABASE_URL's, or a throw-away one) and on it the template of all test databases. */
export default async function setup(project: TestProject) {
  const server = await openTestServer()
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await dropLeftovers(admin)
  const template = `${PREFIX}_${Math.floor(Date.now() / 1000)}_${randomBytes(4).toString('hex')}`
  await admin.query(`CREATE DATABASE ${template}`)
  await prepareTestDatabase(onDatabase(server.url, template))
  project.provide('testServerUrl', server.url)
  project.provide('templateDatabase', template)
  return async () => {
    await dropAll(admin, template)
    await admin.end()
    await server.stop()
  }
}

export type TestServer = { url: string; stop(): Promise<void> }

/** The server that tests run on; `npm test` starts one for all of its parts but the faults, which have one of their own. */
export async function openTestServer(): Promise<TestServer> {
  const given = process.env.TEST_SERVER_URL || process.env.DATABASE_URL
  if (given) return { url: given, stop: async () => undefined }
  const folder = await scratchFolder('test')
  const server = await startPostgres({
    dataFolder: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    password: randomBytes(12).toString('hex'),
    preferredPort: 0,
    // Nothing of it outlives the run, so nothing need reach the disk.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '256MB' },
  })
  const { pid } = server
  endsWithUs({ pid })
  return {
    url: server.urlOf('postgres'),
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
      hasEnded({ pid, folder })
    },
  }
}

/** An empty database becomes one for tests. */
export async function prepareTestDatabase(url: string): Promise<void> {
  await applyMigrations({ connectionString: url })
  await letTestsTravelInTime(url)
}

/** app_now() with an offset, which no other database has. */
async function letTestsTravelInTime(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    CREATE SCHEMA test_support;
    CREATE TABLE test_support.clock ("offset" interval NOT NULL);
    INSERT INTO test_support.clock VALUES ('0');
    CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $$ BEGIN RETURN date_trunc('milliseconds', clock_timestamp() + (SELECT "offset" FROM test_support.clock)); END $$;
  `)
  await client.end()
}

/** A run that was killed could not clean up on a server that is not its own. */
async function dropLeftovers(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [`${PREFIX}_`],
  )
  for (const { datname } of rows) {
    const startedAtSeconds = Number(datname.split('_')[2])
    if (Date.now() / 1000 - startedAtSeconds > LEFTOVER_SECONDS)
      await admin.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`)
  }
}

async function dropAll(admin: pg.Client, template: string): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [template],
  )
  for (const { datname } of rows) await admin.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`)
}

export function onDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
