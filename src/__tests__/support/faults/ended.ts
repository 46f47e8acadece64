import type { ChildProcess } from 'node:child_process'

/** Tells a process to end, and waits until it has. */
export function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((done) => {
    child.once('exit', () => done())
    end()
  })
}
