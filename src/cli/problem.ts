/** Something a person can mend: printed as its sentence alone, without a stack. */
export class Problem extends Error {}

/** Runs a command's main function; whatever goes wrong ends as a sentence and an exit code. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    process.stderr.write(`${error instanceof Problem ? error.message : describeBug(error)}\n`)
    process.exitCode = 1
  }
  // Prisma's engine leaves a timer of ten seconds behind, which would keep a finished command waiting.
  process.exit()
}

function describeBug(error: unknown): string {
  if (process.env.DEBUG) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const sentence =
    describeSystemError(error) ??
    `Something unexpected went wrong: ${error instanceof Error ? error.message : String(error)}`
  return `${sentence}\n(Run it again with DEBUG=1 to see where.)`
}

/** Faults of the machine rather than of the program, in words. */
export function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const path = 'path' in error ? ` ${String(error.path)}` : ''
  switch (error.code) {
    case 'EROFS':
      return `The disk is read-only: cannot write${path}.`
    case 'EACCES':
    case 'EPERM':
      return `Permission denied: cannot use${path}.`
    case 'ENOSPC':
      return `The disk is full: cannot write${path}.`
    case 'EMFILE':
    case 'ENFILE':
      return 'The system allows no more open files; raise the limit with ulimit -n.'
    default:
      return undefined
  }
}
