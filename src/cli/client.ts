import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readClient } from './home/client-types.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'

/** `npm run client -- FOLDER` writes the typed client for a program in TypeScript there: two files, and no package. */
await runCommand(async () => {
  const [given] = process.argv.slice(2)
  if (!given) throw new Problem('Say into which folder: npm run client -- ../shop/src/sendonce')
  const folder = resolve(process.env.INIT_CWD ?? '', given)
  await ensurePrismaClient()
  await mkdir(folder, { recursive: true })
  for (const [name, text] of await readClient()) await writeFile(join(folder, name), text)
  process.stdout.write(`The client is in ${folder}.\n`)
})
