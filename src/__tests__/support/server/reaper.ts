import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '#cli/project.ts'

let reaper: ChildProcess | undefined

/** Whatever becomes of this process: these will not outlive it. */
export function endsWithUs(what: { pid?: number; folder?: string }): void {
  reaper ??= start()
  reaper.send({ ...what, isGone: false })
}

/** They have ended in good order; their number may soon be another's. */
export function hasEnded(what: { pid?: number; folder?: string }): void {
  reaper?.send({ ...what, isGone: true })
}

function start(): ChildProcess {
  const child = fork(join(projectRoot, 'src/__tests__/support/server/reaper-process.ts'), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  // Its own starter may be ended without a word to us; a test must not go on alone.
  process.once('disconnect', () => process.exit(1))
  child.unref()
  child.channel?.unref()
  return child
}
