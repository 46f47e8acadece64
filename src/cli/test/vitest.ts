import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../project.ts'
import type { Count, Skip } from './count.ts'
import type { Part } from './parts.ts'

const reportSchema = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

type Report = z.infer<typeof reportSchema>

/** A part of the suite, or what runs only by a command of its own. */
type Kind = Part | 'mta' | 'pooler' | 'gate'

/** The projects of vitest.config.ts that a kind means, where it is not the one of its own name. */
const PROJECTS: Partial<Record<Kind, readonly string[]>> = {
  unit: ['unit', 'time-*', 'components'],
  // What reckons with clocks is run in one zone here, and in all three by the suite.
  gate: ['unit', 'time-utc', 'components', 'architecture'],
}

type Options = {
  /** Only files whose path holds one of these. */
  files?: readonly string[]
  env?: Record<string, string>
  /** It runs beside another one: what it says comes at its end, in one piece. */
  beside?: boolean
}

/** Runs these kinds of test and counts from vitest's own report. A run without one, or that failed outside any test, counts as a failure. */
export async function runVitest(kinds: Kind[], serverUrl?: string, options: Options = {}): Promise<Count> {
  if (isOver) return failure(`${kinds.join(', ')}: the run was ended before`)
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-report-'))
  const file = join(folder, 'report.json')
  try {
    const code = await spawnVitest(kinds, file, serverUrl, options)
    const report = reportSchema.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')))
    if (!report.success) return failure(`${kinds.join(', ')}: vitest ended without a report`)
    const count = await countReport(report.data)
    return code !== 0 && count.failures.length === 0
      ? failure(`${kinds.join(', ')}: an error outside any test`, count)
      : count
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const running = new Set<ChildProcess>()
let isOver = false

/** Interrupted, its tests are not waited for; what they started ends with them. */
export async function endVitest(): Promise<void> {
  isOver = true
  const ends = [...running].map(async (child) => {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
    await exit
  })
  await Promise.all(ends)
}

async function spawnVitest(
  kinds: Kind[],
  reportFile: string,
  serverUrl: string | undefined,
  { files = [], env = {}, beside = false }: Options,
): Promise<number | null> {
  const projects = kinds.flatMap((kind) => (PROJECTS[kind] ?? [kind]).flatMap((name) => ['--project', name]))
  // Where nobody watches, thousands of dots only push out of sight what failed.
  const told = process.stdout.isTTY && !beside ? 'dot' : 'minimal'
  const reporters = [`--reporter=${told}`, '--reporter=json', `--outputFile.json=${reportFile}`]
  const child = spawn(join(projectRoot, 'node_modules/.bin/vitest'), ['run', ...files, ...projects, ...reporters], {
    cwd: projectRoot,
    stdio: ['ignore', beside ? 'pipe' : 'inherit', beside ? 'pipe' : 'inherit'],
    env: {
      LOG_LEVEL: 'silent',
      // Hundreds of processes load the same files; what one has compiled, the others take.
      NODE_COMPILE_CACHE: join(projectRoot, 'node_modules/.cache/compiled'),
      ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
      ...process.env,
      ...(serverUrl ? { TEST_SERVER_URL: serverUrl } : {}),
      ...env,
    },
  })
  running.add(child)
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => said.push(chunk))
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
  } finally {
    running.delete(child)
    if (beside) process.stdout.write(Buffer.concat([Buffer.from('\n'), ...said]))
  }
}

async function countReport(report: Report): Promise<Count> {
  const allowed = await readAllowedSkips()
  const count: Count = { passed: 0, failures: [], skips: [] }
  for (const file of report.testResults) {
    const path = relative(join(projectRoot, 'src/__tests__'), file.name)
    // A file that could not even be loaded has no tests to count; it is one failure.
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'))
      count.failures.push(path)
    for (const { fullName, status } of file.assertionResults) {
      if (status === 'passed') count.passed += 1
      else if (status === 'failed') count.failures.push(`${path}: ${fullName}`)
      else countSkip(count, `${path}: ${fullName}`, allowed)
    }
  }
  return count
}

function countSkip(count: Count, test: string, allowed: Skip[]): void {
  const listed = allowed.find((skip) => skip.test === test)
  if (listed) count.skips.push(listed)
  else count.failures.push(`${test} was skipped, and does not stand in src/__tests__/allowed-skips.json`)
}

async function readAllowedSkips(): Promise<Skip[]> {
  const text = await readFile(join(projectRoot, 'src/__tests__/allowed-skips.json'), 'utf8')
  return z.array(z.object({ test: z.string(), why: z.string().min(10) })).parse(JSON.parse(text))
}

function failure(sentence: string, count: Count = { passed: 0, failures: [], skips: [] }): Count {
  return { ...count, failures: [...count.failures, sentence] }
}
