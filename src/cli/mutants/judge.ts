import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Mutant } from './mutants.ts'

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

export async function judge(tree: string, mutant: Mutant, serverUrl: string): Promise<Verdict> {
  const compiling = await run(tree, 'tsc', ['--noEmit', '--incremental', 'false'], {})
  if (compiling.code !== 0) return survives(`it does not compile: ${firstLine(compiling.output)}`)
  const found = await runTest(tree, mutant.test, serverUrl)
  if (found.status === undefined) return survives(`the test was not run: ${firstLine(found.output)}`)
  if (found.status === 'passed') return survives('the test passes')
  const message = found.messages[0] ?? ''
  return message.startsWith('AssertionError')
    ? { killed: true }
    : survives(`the test failed, but not by an assertion: ${firstLine(message)}`)
}

/** As it is in the clone, each test has to pass: else its failing proves nothing. */
export async function passes(tree: string, test: Mutant['test'], serverUrl: string): Promise<boolean> {
  return (await runTest(tree, test, serverUrl)).status === 'passed'
}

async function runTest(tree: string, test: Mutant['test'], serverUrl: string) {
  const file = join(tree, 'report.json')
  await rm(file, { force: true })
  const pattern = `^${test.name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`
  const { output } = await run(
    tree,
    'vitest',
    ['run', '--project', test.project, test.file, '-t', pattern, '--reporter=json', `--outputFile=${file}`],
    { TEST_SERVER_URL: serverUrl, LOG_LEVEL: 'silent' },
  )
  const report = reportSchema.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')))
  const results = report.success ? report.data.testResults.flatMap(({ assertionResults }) => assertionResults) : []
  const result = results.find(({ fullName }) => fullName === test.name)
  return {
    status: result?.status === 'skipped' ? undefined : result?.status,
    messages: result?.failureMessages ?? [],
    output,
  }
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
