import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'
import type { Count } from './count.ts'

/** A tool that passes or fails as a whole counts as one test. */
export async function runAsCheck(name: string, tool: string, args: string[]): Promise<Count> {
  const started = performance.now()
  const child = spawn(join(projectRoot, 'node_modules/.bin', tool), args, { cwd: projectRoot, stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', resolve)
  })
  const passed = code === 0
  process.stdout.write(
    `${name}: ${passed ? 'passed' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`,
  )
  return { passed: passed ? 1 : 0, failures: passed ? [] : [name], skips: [] }
}
