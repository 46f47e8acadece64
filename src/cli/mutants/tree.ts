import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { projectRoot } from '../project.ts'
import type { Change, Mutant } from './mutant.ts'

/** What is made and not kept in git, without which nothing compiles. */
const GENERATED = ['src/lib/platform/generated', 'src/client/operations.ts']

/** A copy of the clone as it lies there, uncommitted changes included; its packages are the clone's own. */
export async function copyTree(): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'sendonce-mutants-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((each) => each !== '')) {
    await mkdir(join(tree, dirname(path)), { recursive: true })
    // Deleted and not yet committed: not there.
    await cp(join(projectRoot, path), join(tree, path)).catch(() => undefined)
  }
  for (const path of GENERATED) await cp(join(projectRoot, path), join(tree, path), { recursive: true })
  await symlink(join(projectRoot, 'node_modules'), join(tree, 'node_modules'))
  return tree
}

/** Answers how to take it back, or what is wrong with the mutant itself. */
export async function plant(
  tree: string,
  mutant: Mutant,
): Promise<{ takeBack(): Promise<void> } | { problem: string }> {
  const steps: (() => Promise<void>)[] = []
  const takeBack = async () => {
    for (const step of steps.toReversed()) await step()
  }
  for (const change of [mutant, ...(mutant.and ?? [])]) {
    const done = await apply(tree, change)
    if ('problem' in done) {
      await takeBack()
      return done
    }
    steps.push(done.takeBack)
  }
  return { takeBack }
}

async function apply(tree: string, { file: path, find, becomes }: Change) {
  const file = join(tree, path)
  const before = await readFile(file, 'utf8').catch(() => undefined)
  if (before === undefined) {
    if (find !== '') return { problem: `${path} is not there` }
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, becomes)
    return { takeBack: () => rm(dirname(file), { recursive: true }) }
  }
  const parts = before.split(find)
  if (parts.length !== 2) return { problem: `${path} holds ${parts.length - 1} times: ${find}` }
  await writeFile(file, parts.join(becomes))
  return { takeBack: () => writeFile(file, before) }
}
