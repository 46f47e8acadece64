/** Runs once when the server boots. A server with a wrong environment must not answer at all. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { readEnvironment } = await import('#lib/platform/env.ts')
  const reading = readEnvironment(process.env)
  if (reading.ok) return
  process.stderr.write(`${reading.problems.join('\n')}\n`)
  process.exit(1)
}
