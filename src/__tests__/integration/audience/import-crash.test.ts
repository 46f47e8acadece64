import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { makeAudience, makeKey } from '#tests/support/audience.ts'
import { testDatabase } from '#tests/support/database.ts'

const db = testDatabase()
const key = makeKey('test')
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendonce-import-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Their batches are a third of the file's, which leaves room for those that a kill comes too late for. */
const KILLS = 12
const BATCH = 1_000
const LINES = 60_000

type Result = { seconds: number; megabytes: number; lines: number }

function start(workspaceId: string, path: string) {
  const child = fork(join(projectRoot, 'src/__tests__/support/import-process.ts'), [db.url, workspaceId, path, key], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Without room for garbage, what is measured is what is kept.
    execArgv: ['--max-semi-space-size=4', '--max-old-space-size=96'],
    // Its scratch files land here, so that what is left behind can be seen.
    env: { ...process.env, TMPDIR: folder },
  })
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  const ended = once(child, 'exit')
  return { child, messages, ended }
}

async function run(workspaceId: string, path: string): Promise<Result> {
  const { messages, ended } = start(workspaceId, path)
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

test('the memory of an import does not grow with the file', {
  timeout: 180_000,
}, async () => {
  const [small, large] = [await makeAudience(db.pool, key), await makeAudience(db.pool, key)]
  const few = await run(small.workspaceId, await writeFile(10_000))
  const many = await run(large.workspaceId, await writeFile(100_000))
  expect(few.lines).toBe(10_000)
  expect(many.lines).toBe(100_000)
  process.stdout.write(
    `100,000 lines in ${many.seconds.toFixed(1)} s; ${few.megabytes.toFixed(0)} MB at 10,000, ${many.megabytes.toFixed(0)} MB at 100,000\n`,
  )
  expect(many.megabytes / few.megabytes).toBeLessThan(1.25)
  expect(await state(large.workspaceId)).toMatchObject({
    prospects: 98_000,
    created: 98_000,
    duplicates: 1_000,
    rejected: 1_000,
  })
})

test('killed again and again in the middle, the import ends as if it had run through', {
  timeout: 180_000,
}, async () => {
  const path = await writeFile(LINES)
  const through = await makeAudience(db.pool, key)
  await run(through.workspaceId, path)

  const killed = await makeAudience(db.pool, key)
  const committed = async () => (await state(killed.workspaceId))?.lines ?? 0
  let killedAtWork = 0
  for (let kill = 0; kill < KILLS && (await committed()) < LINES - 10 * BATCH; kill += 1) {
    const { child, ended } = start(killed.workspaceId, path)
    await Promise.race([once(child, 'message'), ended])
    const before = await committed()
    // By batches and not by time, so that a slow machine meets them in the same phases; then somewhere within one.
    const batches = kill % 4
    while (child.exitCode === null && (await committed()) < before + batches * BATCH) await sleep(1)
    await sleep(Math.random() * 20)
    child.kill('SIGKILL')
    await ended
    if ((await committed()) > before) killedAtWork += 1
  }
  // A kill that met a process with nothing to do would prove nothing.
  expect(killedAtWork).toBeGreaterThanOrEqual(KILLS / 2)
  expect(await state(killed.workspaceId)).toMatchObject({ finished: 0 })

  const { lines } = await run(killed.workspaceId, path)
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
