import {
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#cli/ports.ts'
import { projectRoot } from '#cli/project.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { type Command, runCommandProcess } from '#tests/support/server/command.ts'

/** `npm run dev` on a copy, since it changes a file. */
const chromium = testBrowser()
const COPIED = [
  ...['.gitignore', 'package.json', 'package-lock.json', 'tsconfig.json', 'next.config.mjs', 'postcss.config.mjs'],
  ...['prisma', 'public', 'src/app', 'src/catcher', 'src/cli', 'src/components', 'src/lib'],
  ...['src/instrumentation.ts', 'src/proxy.ts'],
]
let copy = ''
let command: Command | undefined

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'sendonce-dev-'))
  for (const path of COPIED) await cp(join(projectRoot, path), join(copy, path), { recursive: true })
  await linkAll(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
})

/** Turbopack follows no link to a folder outside; a second name for each file costs nothing, but needs the same disk. */
async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to)
  const entries = await readdir(from, { withFileTypes: true })
  await Promise.all(
    entries.map(async (entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)]
      if (entry.isDirectory()) await linkAll(source, target)
      else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
      else await link(source, target).catch(() => copyFile(source, target))
    }),
  )
}

afterAll(async () => {
  command?.process.kill('SIGTERM')
  await command?.ended
  await rm(copy, { recursive: true, force: true })
})

test('npm run dev serves, a changed file shows in the open page without a reload, and it stops cleanly', async () => {
  command = runCommandProcess('dev', [], { PORT: String(await freePort(0)) }, copy)
  await command.says(/Sendonce is running, with hot reload/)
  const address = command.output().match(/Open it\s+(\S+)/)?.[1] ?? ''
  expect((await (await fetch(`${address}/api/health`)).json()).data).toMatchObject({ database: { ok: true } })

  const page = await chromium.browser.newPage()
  // What a page needs is only made when it is first asked for.
  page.setDefaultTimeout(90_000)
  await page.goto(`${address}/setup`)
  await page.getByRole('heading', { name: 'Welcome to Sendonce' }).waitFor()
  const loads: string[] = []
  page.on('domcontentloaded', () => loads.push(page.url()))
  const form = page.getByLabel('Your name')
  await form.fill('Olga')

  const file = join(copy, 'src/app/(session)/setup/page.tsx')
  await writeFile(file, (await readFile(file, 'utf8')).replace('Welcome to Sendonce', 'Changed while it runs'))
  await page.getByRole('heading', { name: 'Changed while it runs' }).waitFor()
  expect(await form.inputValue()).toBe('Olga')
  expect(loads).toEqual([])

  command.process.kill('SIGINT')
  expect(await command.ended).toBe(0)
  expect(command.output()).toMatch(/Stopped\. Everything is kept/)
})
