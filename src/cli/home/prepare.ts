import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import type { Variables } from './child.ts'
import { ensureReferenceScript } from './reference-script.ts'

const generated = join(projectRoot, 'src/lib/platform/generated')

/** Prisma's client is made from the schema, and made again only when the schema or Prisma has changed. */
export async function ensurePrismaClient(): Promise<void> {
  await ensureMade(join(generated, '.made-from'), ['prisma/schema.prisma', 'package-lock.json'], async () => {
    await run('prisma', ['generate', '--config', 'prisma/prisma.config.ts'], {
      // `generate` looks for a schema engine and never runs it; any executable ends the search, and with it a download.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    })
  })
}

/** What the pages need besides, where they are built as they are asked for. */
export async function ensureDevelopment(): Promise<void> {
  await ensurePrismaClient()
  await ensureReferenceScript()
}

const BUILD_INPUTS = [
  'src',
  'public',
  'prisma',
  'package-lock.json',
  'package.json',
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
]
const NOT_BUILT = [
  'src/__tests__',
  'src/catcher',
  'src/fake-google',
  'src/cli',
  'src/client',
  'src/bench',
  'src/decisions',
  'src/lib/platform/generated',
  'prisma/migrations',
]

/** Builds the pages, if anything that goes into them has changed since. Answers whether it did. */
export async function ensureBuild(announce: () => void): Promise<void> {
  await ensureDevelopment()
  await ensureMade(join(projectRoot, '.next/made-from'), BUILD_INPUTS, async () => {
    announce()
    await run('next', ['build'], { NODE_ENV: 'production' })
  })
}

/** `make` runs unless `stamp` says that the same inputs were made already; one that was cut short left no stamp. */
async function ensureMade(stamp: string, inputs: string[], make: () => Promise<void>): Promise<void> {
  const wanted = await fingerprint(inputs)
  const made = await readFile(stamp, 'utf8').catch(() => '')
  if (made === wanted) return
  await rm(stamp, { force: true })
  await make()
  await writeFile(stamp, wanted)
}

async function fingerprint(inputs: string[]): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  for (const input of inputs) {
    for (const file of await filesIn(input)) hash.update(`\0${file}\0`).update(await readFile(join(projectRoot, file)))
  }
  return hash.digest('hex')
}

async function filesIn(path: string): Promise<string[]> {
  if (NOT_BUILT.includes(path) || !existsSync(join(projectRoot, path))) return []
  const entries = await readdir(join(projectRoot, path), { withFileTypes: true }).catch(() => undefined)
  if (!entries) return [path]
  const nested = await Promise.all(entries.map((entry) => filesIn(`${path}/${entry.name}`)))
  return nested.flat().sort()
}

/** Quiet when it works; when it does not, what it said is what a person needs. */
async function run(tool: string, args: string[], env: Variables): Promise<void> {
  const child = spawn(join(projectRoot, 'node_modules/.bin', tool), args, {
    cwd: projectRoot,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code === 0) return
  const tail = Buffer.concat(said).toString('utf8').trim().split('\n').slice(-40).join('\n')
  throw new Problem(`${tool} ${args[0]} failed:\n${tail}`)
}
