import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { makeAudience } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const key = makeKey('test')
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendonce-import-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Their batches are a fifth of the file's, which leaves room for those that a kill comes too late for. */
const KILLS = 12
const BATCH = 1_000
const LINES = 50_000

type Result = { seconds: number; megabytes: number; lines: number }

function start(workspaceId: string, path: string, looksAtMemory = false) {
  const child = fork(
    join(projectRoot, 'src/__tests__/support/faults/import-process.ts'),
    [db.url, workspaceId, path, key],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--max-old-space-size=96', ...(looksAtMemory ? ['--expose-gc'] : [])],
      // Its scratch files land here, so that what is left behind can be seen.
      env: { ...process.env, TMPDIR: folder },
    },
  )
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  const ended = once(child, 'exit')
  return { child, messages, ended }
}

async function run(workspaceId: string, path: string): Promise<Result> {
  const { messages, ended } = start(workspaceId, path, true)
  await ended
  const result = messages.at(-1)
  if (typeof result !== 'object' || result === null) throw new Error('the import did not finish')
  return result as Result
}

/** Of every hundred lines one is no address and one says again what stood before. */
async function writeFile(lines: number): Promise<string> {
  const path = join(folder, `${lines}.csv`)
  const file = createWriteStream(path)
  file.write('email,name\n')
  for (let line = 0; line < lines; line += 1) {
    const who = line % 100 === 99 ? line - 99 : line
    const address = line % 100 === 50 ? 'no address' : `person.${who}@example${who % 500}.com`
    if (!file.write(`${address},"Name, ${line}"\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return path
}

const state = async (workspaceId: string) => {
  const { rows } = await db.pool.query<Record<string, number>>(
    `SELECT (SELECT count(*) FROM prospects WHERE workspace_id = $1)::int AS prospects,
       (SELECT count(*) FROM import_jobs WHERE workspace_id = $1)::int AS jobs,
       (SELECT count(*) FROM import_issues i JOIN import_jobs j ON j.id = i.job_id WHERE j.workspace_id = $1)::int AS issues,
       (SELECT count(*) FROM audit_log WHERE workspace_id = $1)::int AS entries,
       j.committed_records AS lines, j.created, j.updated, j.revived, j.unchanged, j.duplicates, j.rejected,
       (j.finished_at IS NOT NULL)::int AS finished
     FROM import_jobs j WHERE j.workspace_id = $1`,
    [workspaceId],
  )
  return rows[0]
}

/** Asked again and again, beside an import that is to be disturbed by the kill alone. */
async function committed(workspaceId: string): Promise<number> {
  const { rows } = await db.pool.query<{ lines: number }>(
    'SELECT committed_records AS lines FROM import_jobs WHERE workspace_id = $1',
    [workspaceId],
  )
  return rows[0]?.lines ?? 0
}

/** One import that nothing disturbs. */
let through: Result & { workspaceId: string; path: string }

beforeAll(async () => {
  const { workspaceId } = await makeAudience(db.pool, key)
  const path = await writeFile(LINES)
  through = { workspaceId, path, ...(await run(workspaceId, path)) }
}, 600_000)

test('the memory of an import does not grow with the file', async () => {
  const small = await makeAudience(db.pool, key)
  const few = await run(small.workspaceId, await writeFile(LINES / 10))
  expect([few.lines, through.lines]).toEqual([LINES / 10, LINES])
  process.stdout.write(
    `${LINES} lines in ${through.seconds.toFixed(1)} s; ${through.megabytes.toFixed(0)} MB, of a tenth ${few.megabytes.toFixed(0)} MB\n`,
  )
  expect(through.megabytes / few.megabytes).toBeLessThan(1.25)
  expect(await state(through.workspaceId)).toMatchObject({
    prospects: 0.98 * LINES,
    created: 0.98 * LINES,
    duplicates: 0.01 * LINES,
    rejected: 0.01 * LINES,
  })
})

test('killed again and again in the middle, the import ends as if it had run through', {
  timeout: 600_000,
}, async () => {
  const killed = await makeAudience(db.pool, key)
  const isFarFromDone = async () => (await committed(killed.workspaceId)) < LINES - 10 * BATCH
  let killedAtWork = 0
  for (let kill = 0; kill < KILLS && (await isFarFromDone()); kill += 1) {
    const { child, ended } = start(killed.workspaceId, through.path)
    await Promise.race([once(child, 'message'), ended])
    const before = await committed(killed.workspaceId)
    // By batches and not by time, so that a slow machine meets them in the same phases; then somewhere within one.
    const batches = kill % 4
    while (child.exitCode === null && (await committed(killed.workspaceId)) < before + batches * BATCH) await sleep(1)
    await sleep(Math.random() * 20)
    child.kill('SIGKILL')
    await ended
    if ((await committed(killed.workspaceId)) > before) killedAtWork += 1
  }
  // A kill that met a process with nothing to do would prove nothing.
  expect(killedAtWork).toBeGreaterThanOrEqual(KILLS / 2)
  expect(await state(killed.workspaceId)).toMatchObject({ finished: 0 })

  const { lines } = await run(killed.workspaceId, through.path)
  expect(lines).toBe(LINES)
  expect(await state(killed.workspaceId)).toEqual(await state(through.workspaceId))
  const { rows } = await db.pool.query('SELECT FROM import_addresses')
  expect(rows).toEqual([])
  const { rows: different } = await db.pool.query(
    `(SELECT email, first_name FROM prospects WHERE workspace_id = $1 EXCEPT SELECT email, first_name FROM prospects WHERE workspace_id = $2)
     UNION ALL
     (SELECT email, first_name FROM prospects WHERE workspace_id = $2 EXCEPT SELECT email, first_name FROM prospects WHERE workspace_id = $1)`,
    [through.workspaceId, killed.workspaceId],
  )
  expect(different).toEqual([])
  expect((await readdir(folder)).filter((name) => !name.endsWith('.csv'))).toEqual([])
})
