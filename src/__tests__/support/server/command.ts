import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '#cli/project.ts'

export type Command = {
  process: ChildProcess
  output(): string
  /** Settles when the output holds this; rejects when the command ends before. */
  says(pattern: RegExp): Promise<RegExpMatchArray>
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
}

/** A command of ours, or of a copy, in a process of its own, as a user would start it, with a clean environment. */
export function runCommandProcess(
  name: string,
  args: string[],
  env: Record<string, string>,
  root = projectRoot,
): Command {
  const child = spawn(process.execPath, [join(root, 'src/cli', `${name}.ts`), ...args], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listeners = new Set<() => void>()
  const heard = (chunk: Buffer) => {
    output += chunk.toString('utf8')
    for (const listener of listeners) listener()
  }
  child.stdout.on('data', heard)
  child.stderr.on('data', heard)
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1))
  })
  const says = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const found = output.match(pattern)
        if (!found) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
      void ended.then((code) => reject(new Error(`ended with ${code} without saying ${pattern}:\n${output}`)))
    })
  return { process: child, output: () => output, says, ended }
}

function cleanEnvironment(env: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_ENV, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, NODE_ENV, NODE_COMPILE_CACHE, ...env }
}
