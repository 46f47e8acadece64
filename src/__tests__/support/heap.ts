import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What is really in use: after everything that nobody holds is gone. */
export function heapUsed(): number {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
