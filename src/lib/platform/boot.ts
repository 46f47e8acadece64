import { misspeltVariables, readEnvironment } from './env.ts'

/** A server with a wrong environment must not answer at all: half a product is worse than a clear sentence. */
export function refuseToBootIfMisconfigured(): void {
  const reading = readEnvironment(process.env)
  // Said, and not refused: an environment that others share may hold such a name.
  for (const { name, meant } of misspeltVariables(Object.keys(process.env)))
    process.stderr.write(`${name} is set and not known here. If ${meant} was meant, call it that.\n`)
  if (reading.ok) return
  process.stderr.write(`${reading.problems.join('\n')}\n`)
  process.exit(1)
}
