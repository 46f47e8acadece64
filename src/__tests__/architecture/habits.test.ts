import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { LONGEST } from '#cli/test/longest-first.ts'
import { environmentVariables } from '#lib/platform/env.ts'
import { importsOf, readTracked, sourceFiles, trackedPaths } from '#tests/support/source-files.ts'

const TEXT = /\.(ts|tsx|mjs|css|json|prisma|sql|md|toml|example|npmrc|yml)$|^\.ci\//

test('no rule reads an ambient clock: time arrives as a value', () => {
  const wrong = [...sourceFiles('src/lib/guardrails'), ...sourceFiles('src/lib/email-scheduler')]
    .filter((file) => /\bnew Date\(\)|\bDate\.now\(\)|\bperformance\.now\(\)/.test(file.text))
    .map((file) => file.path)
  expect(wrong).toEqual([])
})

test('local dates are never computed by SQL', () => {
  const wrong = sourceFiles('src/lib')
    .filter((file) => /AT TIME ZONE/i.test(file.text))
    .map((file) => file.path)
  expect(wrong).toEqual([])
})

test('the lock file holds no download addresses, and no file names a registry or a machine', () => {
  const forbidden = [`registry${'.'}npmjs`, `"${'resolved'}": `]
  const machinePath = /["'`( ]\/(?:root|work|home)\/\w/
  const wrong = trackedPaths()
    .filter((path) => TEXT.test(path))
    .map(readTracked)
    .filter(({ text }) => forbidden.some((words) => text.includes(words)) || machinePath.test(text))
    .map((file) => file.path)
  expect(wrong).toEqual([])
})

test('nothing holds the marks of a merge conflict', () => {
  const marks = /^(?:<{7}|>{7}|\|{7}|={7})(?: |$)/m
  expect(trackedPaths().filter((path) => marks.test(readTracked(path).text))).toEqual([])
})

test('no generated client is in git', () => {
  const tracked = execFileSync('git', ['ls-files', 'src/lib/platform/generated'], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
  expect(tracked).toBe('')
})

test('.env.example names every variable that the product reads, with a sentence, and no other', () => {
  const { text } = readTracked('.env.example')
  const blocks = text.split(/\n\s*\n/).flatMap((block) => {
    const name = /^([A-Z_]+)=/m.exec(block)?.[1]
    return name ? [{ name, told: /^#\s+\S.{20,}/m.test(block) }] : []
  })
  const onlyAtHome = ['DATA_DIR', 'PORT', 'HOST']
  expect(blocks.map(({ name }) => name).sort()).toEqual([...environmentVariables, ...onlyAtHome].sort())
  expect(blocks.filter(({ told }) => !told)).toEqual([])
})

test('every test asserts something', () => {
  const hollow = sourceFiles('src/__tests__').filter(
    ({ path, text }) => path.endsWith('.test.ts') && !/\bexpect\(|\bassert/.test(text),
  )
  expect(hollow.map((file) => file.path)).toEqual([])
})

test('the tests that are begun first are there', () => {
  const tests = trackedPaths().filter((path) => path.startsWith('src/__tests__/'))
  expect(LONGEST.filter((path) => !tests.includes(`src/__tests__/${path}`))).toEqual([])
})

test('imports carry their extension, since the runtime reads them as they are', () => {
  const wrong = sourceFiles('src')
    .filter(({ path }) => !path.startsWith('src/lib/platform/generated/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => /^(\.|#)/.test(target) && !/\.(ts|tsx|mjs|css|json|svg)$/.test(target))
        .map((target) => `${file.path} imports ${target}`),
    )
  expect(wrong).toEqual([])
})
