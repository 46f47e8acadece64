import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'

const CLIENT = join(projectRoot, 'src/client')

/** The types of the client are made from the API's document, and are in no commit. Needs Prisma's client. */
export async function ensureClientTypes(): Promise<void> {
  const { openApiDocument } = await import('#lib/openapi/document.ts')
  const { typesOf } = await import('#lib/openapi/typescript.ts')
  const file = join(CLIENT, 'operations.ts')
  const text = typesOf(openApiDocument())
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) await writeFile(file, text)
}

/** The two files of the client, for a program elsewhere. */
export async function readClient(): Promise<Map<string, string>> {
  await ensureClientTypes()
  const names = ['sendonce.ts', 'operations.ts']
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(CLIENT, name), 'utf8')] as const)),
  )
}
