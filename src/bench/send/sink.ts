import { fork } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '#cli/project.ts'

export const SINK_HOST = '127.0.0.1'

export type Sink = { port: number; stop(): void }

/** An SMTP server that takes everything and keeps nothing, in a process of its own: its work is not ours. */
export async function startSink(): Promise<Sink> {
  const child = fork(join(projectRoot, 'src/bench/send/sink-process.ts'))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`the mail sink ended with ${code}`)))
  })
  return { port, stop: () => child.kill() }
}
