import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '#cli/project.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import { ended } from './ended.ts'
import type { TickAnswer, TickOrder } from './tick-process.ts'
import { type WorkerSettings, workerEnvironment } from './worker.ts'

/** A process that runs a tick when it is told to, as the cron route does. */
export class Ticking {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** Everything is loaded and the database has answered. */
  static async start(databaseUrl: string, settings: WorkerSettings): Promise<Ticking> {
    const child = fork(join(projectRoot, 'src/__tests__/support/faults/tick-process.ts'), [], {
      env: workerEnvironment(databaseUrl, settings),
      execArgv: [],
    })
    const { pid } = child
    if (pid !== undefined) {
      endsWithUs({ pid })
      child.once('exit', () => hasEnded({ pid }))
    }
    await answerOf(child)
    return new Ticking(child)
  }

  tick(order: TickOrder): Promise<TickAnswer> {
    const answer = answerOf<TickAnswer>(this.#process)
    this.#process.send(order)
    return answer
  }

  /** As a platform ends a function that has lived too long. */
  async kill(): Promise<void> {
    await ended(this.#process, () => this.#process.kill('SIGKILL'))
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((done, failed) => {
    const ended = (code: number | null) => failed(new Error(`a ticking process ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      done(answer as T)
    })
  })
}
