import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, type SourceFile, sourceFiles, trackedPaths } from '#tests/support/source-files.ts'
import { ROOMS } from './rooms.ts'

/** More than fit at a glance are two rooms. */
const FILES_IN_A_ROOM_MAX = 22

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

describe('the rooms of src/lib', () => {
  test('are those of the order, and no others', () => {
    const found = new Set(sourceFiles('src/lib').map(roomOf))
    expect([...found].filter((room) => !ROOMS.includes(room))).toEqual([])
    expect(ROOMS.filter((room) => !found.has(room))).toEqual([])
  })

  test('import only from those before them, types included', () => {
    const wrong = sourceFiles('src/lib').flatMap((file) =>
      importedPaths(file)
        .filter((path) => path.startsWith('src/lib/') && rank(roomOfPath(path)) > rank(roomOf(file)))
        .map((path) => `${file.path} imports ${path}`),
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

test('pages and routes build nothing: what needs parts of several rooms is put together in wiring', () => {
  const parts = [
    '#lib/mail/smtp/open-system-mailbox.ts',
    '#lib/mail/mailboxes/open-transport.ts',
    '#lib/platform/keyring.ts',
    '#lib/audience/address-hash.ts',
    'node:dns',
    'node:dns/promises',
  ]
  const wrong = sourceFiles('src/app').flatMap((file) =>
    importsOf(file)
      .filter((target) => parts.includes(target))
      .map((target) => `${file.path} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('tests are imported by tests only, and commands by commands and tests', () => {
  const wrong = sourceFiles('src').flatMap((file) =>
    importsOf(file)
      .filter((target) => {
        if (target.startsWith('#tests/')) return !/^src\/(__tests__|cli\/test)/.test(file.path)
        if (target.startsWith('#cli/')) return !/^src\/(__tests__|cli|bench|catcher)\//.test(file.path)
        return false
      })
      .map((target) => `${file.path} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('no files import each other in a circle, types included', () => {
  const files = new Map(sourceFiles('src').map((file) => [file.path, importedPaths(file)]))
  const finished = new Set<string>()
  const circles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' imports '))
    else if (!finished.has(path)) {
      for (const imported of files.get(path) ?? []) visit(imported, [...trail, path])
      finished.add(path)
    }
  }
  for (const path of files.keys()) visit(path, [])
  expect(circles).toEqual([])
})

test('a folder holds what fits at a glance', () => {
  const counts = new Map<string, number>()
  for (const { path } of sourceFiles('src')) {
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  expect([...counts].filter(([, count]) => count > FILES_IN_A_ROOM_MAX)).toEqual([])
})

test('the top level stays as it is', () => {
  const found = new Set(trackedPaths().map((path) => path.split('/')[0] ?? ''))
  expect([...found].filter((name) => !TOP_LEVEL.includes(name))).toEqual([])
})

/** Of a file in src/lib, the folder that it lies in; what Prisma generates belongs to the platform. */
function roomOf(file: SourceFile): string {
  return roomOfPath(file.path)
}

function roomOfPath(path: string): string {
  const room = posix.dirname(path).slice('src/lib/'.length)
  return room.startsWith('platform/generated') ? 'platform' : room
}

function importedPaths(file: SourceFile): string[] {
  return importsOf(file).flatMap((target) => {
    if (target.startsWith('.')) return [posix.join(posix.dirname(file.path), target)]
    const alias = /^#(app|cli|catcher|components|lib|tests|bench)\/(.+)$/.exec(target)
    return alias ? [`src/${alias[1] === 'tests' ? '__tests__' : alias[1]}/${alias[2]}`] : []
  })
}

function rank(room: string): number {
  return ROOMS.indexOf(room)
}
