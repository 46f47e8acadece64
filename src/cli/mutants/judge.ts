import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Mutant } from './mutant.ts'

/** `killed`: the named test failed, by an assertion. Everything else is a sentence that says what happened instead. */
export type Verdict = { killed: true } | { killed: false; why: string }

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
})

/** What `expect` throws; where it waits, for a promise or for a poll, it throws a plain error. */
const ASSERTION = /^(AssertionError|Error: (expected|promise (resolved|rejected)) )/

export async function judge(tree: string, mutant: Mutant, serverUrl: string): Promise<Verdict> {
  // Side by side, as they ask nothing of each other; what was compiled for the mutant before is built upon.
  const [compiling, { results, output }] = await Promise.all([
    run(tree, 'tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', 'mutants.tsbuildinfo'], {}),
    runTests(tree, mutant.test, [mutant.test.name], serverUrl),
  ])
  if (compiling.code !== 0) return survives(`it does not compile: ${firstLine(compiling.output)}`)
  const found = results.get(mutant.test.name)
  if (!found) return survives(`the test was not run: ${firstLine(output)}`)
  if (found.status === 'passed') return survives('the test passes')
  const message = found.messages[0] ?? ''
  return ASSERTION.test(message)
    ? { killed: true }
    : survives(`the test failed, but not by an assertion: ${firstLine(message)}`)
}

/** Which tests of a file pass, as it is in the clone; where one does not, its failing later would prove nothing. */
export async function passing(tree: string, tests: readonly Mutant['test'][], serverUrl: string): Promise<string[]> {
  const [one] = tests
  if (!one) return []
  const names = tests.map(({ name }) => name)
  const { results } = await runTests(tree, one, names, serverUrl)
  return names.filter((name) => results.get(name)?.status === 'passed')
}

/** What became of the named tests of a file, by name; those that were not run are not in it. */
async function runTests(
  tree: string,
  { project, file: testFile }: Mutant['test'],
  names: readonly string[],
  serverUrl: string,
) {
  const file = join(tree, 'report.json')
  await rm(file, { force: true })
  const pattern = `^(${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`
  const { output } = await run(
    tree,
    'vitest',
    ['run', '--project', project, testFile, '-t', pattern, '--reporter=json', `--outputFile=${file}`],
    { TEST_SERVER_URL: serverUrl, LOG_LEVEL: 'silent' },
  )
  const report = reportSchema.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')))
  const results = new Map<string, { status: string; messages: string[] }>()
  // Of a test that is run for several cases, one that fails speaks for all.
  for (const { assertionResults } of report.success ? report.data.testResults : [])
    for (const { fullName, status, failureMessages } of assertionResults)
      if (names.includes(fullName) && status !== 'skipped' && results.get(fullName)?.status !== 'failed')
        results.set(fullName, { status, messages: failureMessages })
  return { results, output }
}

function run(tree: string, tool: string, args: string[], env: Record<string, string>) {
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn(join(tree, 'node_modules/.bin', tool), args, {
      cwd: tree,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    })
    running.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.on('error', reject)
    child.on('close', (code) => {
      running.delete(child)
      resolve({ code, output })
    })
  })
}

const running = new Set<ReturnType<typeof spawn>>()

/** Interrupted, nothing is waited for. */
export function endRunning(): void {
  for (const child of running) child.kill('SIGTERM')
}

function survives(why: string): Verdict {
  return { killed: false, why }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 200) ?? ''
}
