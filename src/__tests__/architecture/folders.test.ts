import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { importsOf, type SourceFile, sourceFiles, trackedPaths } from '#tests/support/source-files.ts'

/** In this order: each folder may import only those before it. What it needs from one after it is handed to it. */
const LIB_ORDER = [
  'platform',
  'tenancy',
  'guardrails',
  'audience',
  'sequences',
  'campaigns',
  'email-scheduler',
  'mail',
  'outbox',
  'dispatch',
  'worker',
]

const TOP_LEVEL = [
  '.ci',
  '.editorconfig',
  '.env.example',
  '.gitignore',
  '.npmrc',
  'LICENSE',
  'README.md',
  'biome.json',
  'next.config.mjs',
  'package-lock.json',
  'package.json',
  'postcss.config.mjs',
  'prisma',
  'public',
  'src',
  'tsconfig.json',
  'vercel.json',
  'vitest.config.ts',
]

describe('the folders of src/lib', () => {
  test('are those of the order, and no others', () => {
    const folders = readdirSync(join(projectRoot, 'src/lib'))
    expect(folders.filter((name) => !LIB_ORDER.includes(name))).toEqual([])
  })

  test('import only from those before them', () => {
    const wrong = sourceFiles('src/lib').flatMap((file) =>
      importsOf(file)
        .map((target) => libFolderOf(file, target))
        .filter((folder) => folder !== undefined && rank(folder) > rank(folderOf(file)))
        .map((folder) => `${file.path} imports ${folder}`),
    )
    expect(wrong).toEqual([])
  })

  test('know nothing of pages, commands or Next', () => {
    const wrong = sourceFiles('src/lib').flatMap((file) =>
      importsOf(file)
        .filter((target) => /^(next|next\/.*|react|#app\/.*|#components\/.*|#cli\/.*|#tests\/.*)$/.test(target))
        .map((target) => `${file.path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })
})

test('only pages, components and what Next itself calls import next', () => {
  const allowed = /^src\/(app\/|components\/|proxy\.ts|instrumentation\.ts)/
  const wrong = sourceFiles('src')
    .filter((file) => !allowed.test(file.path) && importsOf(file).some((target) => /^next(\/|$)/.test(target)))
    .map((file) => file.path)
  expect(wrong).toEqual([])
})

test('tests are imported by tests only, and commands by commands and tests', () => {
  const wrong = sourceFiles('src').flatMap((file) =>
    importsOf(file)
      .filter((target) => {
        if (target.startsWith('#tests/')) return !/^src\/(__tests__|cli\/test)/.test(file.path)
        if (target.startsWith('#cli/')) return !/^src\/(__tests__|cli|bench)\//.test(file.path)
        return false
      })
      .map((target) => `${file.path} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('the top level stays as it is', () => {
  const found = new Set(trackedPaths().map((path) => path.split('/')[0] ?? ''))
  expect([...found].filter((name) => !TOP_LEVEL.includes(name))).toEqual([])
})

function folderOf(file: SourceFile): string {
  return file.path.split('/')[2] ?? ''
}

function libFolderOf(file: SourceFile, target: string): string | undefined {
  const path = target.startsWith('#lib/')
    ? `src/lib/${target.slice('#lib/'.length)}`
    : target.startsWith('.')
      ? posix.join(posix.dirname(file.path), target)
      : undefined
  return path?.startsWith('src/lib/') ? path.split('/')[2] : undefined
}

function rank(folder: string): number {
  return LIB_ORDER.indexOf(folder)
}
