import { type ChildProcess, spawn } from 'node:child_process'
import { open, rename, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../project.ts'

/** Environment variables for a process; NODE_ENV, which Next's types insist on, is not always ours to set. */
export type Variables = Record<string, string | undefined>

export type Child = {
  process: ChildProcess
  name: string
  /** Settles with its first message, which a program of ours sends once it can be used. */
  ready: Promise<void>
  /** Settles when it ends, for whatever reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

const LOG_BYTES_MAX = 10 * 1024 * 1024
const STOP_MS_MAX = 10_000

type Options = {
  name: string
  script: string
  args: string[]
  env: Variables
  logFile?: string
  preload?: string
}

/**
 * A process of ours on the same runtime. It is joined to us by a channel and ends when that closes, so that a
 * SIGKILL on us leaves none behind; its own process group keeps a Ctrl-C in the terminal for us to pass on in order.
 */
export async function startChild({ name, script, args, env, logFile, preload }: Options): Promise<Child> {
  const log = logFile ? await openLog(logFile) : undefined
  const child = spawn(process.execPath, [...(preload ? ['--import', preload] : []), script, ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', log?.fd ?? 'inherit', log?.fd ?? 'inherit', 'ipc'],
    detached: true,
  })
  const ready = new Promise<void>((resolve) => {
    child.once('message', () => resolve())
  })
  await log?.close()
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const late = Symbol('late')
    const first = await Promise.race([ended, sleep(STOP_MS_MAX, late, { ref: false })])
    if (first === late) child.kill('SIGKILL')
    await ended
  }
  return { process: child, name, ready, ended, stop }
}

async function openLog(file: string) {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size > LOG_BYTES_MAX) await rename(file, `${file}.old`)
  return open(file, 'a')
}
