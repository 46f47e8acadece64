import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import scalarForFastify from '@scalar/fastify-api-reference'
import { REFERENCE_SCRIPT } from '#components/reference/reference-page.ts'
import { projectRoot } from '../project.ts'

type Answering = { header: () => Answering; send: (sent: unknown) => unknown }
type Route = { url: string; handler: (request: unknown, reply: Answering) => unknown }

/**
 * Writes the one file of the API reference where Next serves files from. It is in no commit: the lock file says which it
 * is. The package for Fastify carries it whole, in 30 MB with all that it needs; that of the reference itself needs 290.
 */
export async function ensureReferenceScript(): Promise<void> {
  const file = join(projectRoot, 'public', REFERENCE_SCRIPT)
  const script = servedByScalar()
  if ((await readFile(file, 'utf8').catch(() => '')) === script) return
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, script)
}

/** Asked for as Fastify would. */
function servedByScalar(): string {
  let served: unknown
  const reply: Answering = {
    header: () => reply,
    send: (sent) => {
      served = sent
    },
  }
  const route = ({ url, handler }: Route) => url.endsWith('/js/scalar.js') && handler({}, reply)
  const register = scalarForFastify as unknown as (host: object, options: object, done: () => void) => void
  register({ route }, { configuration: { url: '/' } }, () => undefined)
  if (typeof served !== 'string') throw new Error('@scalar/fastify-api-reference serves its script in another way now')
  return served
}
