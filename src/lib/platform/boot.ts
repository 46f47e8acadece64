import { readEnvironment } from './env.ts'

/** A server with a wrong environment must not answer at all: half a product is worse than a clear sentence. */
export function refuseToBootIfMisconfigured(): void {
  const reading = readEnvironment(process.env)
  if (reading.ok) return
  process.stderr.write(`${reading.problems.join('\n')}\n`)
  process.exit(1)
}
