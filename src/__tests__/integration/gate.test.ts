import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'

const MARKER = `${'<'.repeat(7)} HEAD`

let clone = ''

/** A repository with the project's hooks and bootstrap, in which the gate itself only writes down that it was asked. */
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'sendonce-gate-'))
  git('init', '--quiet', '--initial-branch=main')
  for (const path of ['.ci/hooks', 'src/cli/bootstrap.mjs', 'package.json', 'package-lock.json'])
    cpSync(join(projectRoot, path), join(clone, path), { recursive: true })
  writeFileSync(join(clone, '.gitignore'), 'node_modules\nasked\nfails\n')
  write(
    'src/cli/gate.ts',
    `import { appendFileSync, existsSync } from 'node:fs'
     appendFileSync('asked', 'x')
     process.exit(existsSync('fails') ? 1 : 0)`,
  )
  // As `npm ci` leaves it, as far as the bootstrap looks.
  mkdirSync(join(clone, 'node_modules'))
  cpSync(join(projectRoot, 'package-lock.json'), join(clone, 'node_modules/.package-lock.json'))
  write('src/cli/nothing.ts', '')
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

test('the first command in a clone sets the hooks up, and leaves hooks that are in use alone', () => {
  bootstrap()
  expect(git('config', 'core.hooksPath').stdout.trim()).toBe('.ci/hooks')
  git('config', 'core.hooksPath', 'hooks-of-mine')
  bootstrap()
  expect(git('config', 'core.hooksPath').stdout.trim()).toBe('hooks-of-mine')
  git('config', '--unset', 'core.hooksPath')
  mkdirSync(join(clone, '.git/hooks'), { recursive: true })
  writeFileSync(join(clone, '.git/hooks/pre-commit'), '')
  bootstrap()
  expect(git('config', 'core.hooksPath').stdout).toBe('')
})

test('without git there is nothing to set up, and nothing is said', () => {
  rmSync(join(clone, '.git'), { recursive: true })
  expect(bootstrap()).toEqual({ status: 0, stderr: '' })
})

test('a commit on main passes the gate, and one that does not pass is none', () => {
  const first = start()
  write('a.txt', 'a')
  writeFileSync(join(clone, 'fails'), '')
  expect(commit('Add a').status).toBe(1)
  expect(head()).toBe(first)
  rmSync(join(clone, 'fails'))
  expect(commit('Add a').status).toBe(0)
  expect(asked()).toBe(3)
})

test('the same tree is not judged twice', () => {
  start()
  expect(git('commit', '--amend', '--quiet', '--message', 'Begin otherwise').status).toBe(0)
  expect(asked()).toBe(1)
})

test('what would not be part of the commit is named: what is tested is what lands', () => {
  start()
  write('a.txt', 'a')
  git('add', 'a.txt')
  write('forgotten.txt', 'b')
  const answer = git('commit', '--quiet', '--message', 'Add a')
  expect(answer).toMatchObject({ status: 1, stderr: expect.stringContaining('forgotten.txt') })
  expect(asked()).toBe(1)
})

test('a merge into main passes the gate; a commit on another branch need not', () => {
  start()
  git('checkout', '--quiet', '-b', 'other')
  write('b.txt', 'b')
  expect(commit('Add b').status).toBe(0)
  expect(asked()).toBe(1)
  git('checkout', '--quiet', 'main')
  writeFileSync(join(clone, 'fails'), '')
  expect(git('merge', '--quiet', '--no-ff', '--no-edit', 'other').status).toBe(1)
  expect(asked()).toBe(2)
})

test('a push to main passes the gate, since main that only moved forward was never asked about', () => {
  const origin = join(clone, '.git/origin')
  start()
  git('init', '--quiet', '--bare', origin)
  git('checkout', '--quiet', '-b', 'other')
  write('b.txt', 'b')
  commit('Add b')
  git('checkout', '--quiet', 'main')
  git('merge', '--quiet', '--ff-only', 'other')
  writeFileSync(join(clone, 'fails'), '')
  expect(git('push', '--quiet', origin, 'main:elsewhere').status).toBe(0)
  expect(git('push', '--quiet', origin, 'main').status).toBe(1)
  rmSync(join(clone, 'fails'))
  expect(git('push', '--quiet', origin, 'main').status).toBe(0)
  expect(asked()).toBe(3)
})

test('the marks of a conflict are refused on every branch', () => {
  start()
  git('checkout', '--quiet', '-b', 'other')
  write('a.txt', `${MARKER}\n`)
  expect(commit('Add a')).toMatchObject({ status: 1, stderr: expect.stringContaining('a.txt') })
})

test('a subject has up to 72 characters, counted as characters', () => {
  start()
  write('a.txt', 'a')
  expect(commit('x'.repeat(73))).toMatchObject({ status: 1, stderr: expect.stringContaining('73') })
  expect(commit('é'.repeat(72)).status).toBe(0)
  write('b.txt', 'b')
  expect(commit(`fixup! ${'x'.repeat(72)}\n\n${'A long line of the body. '.repeat(9)}`).status).toBe(0)
})

function start(): string {
  git('config', 'user.name', 'Olga')
  git('config', 'user.email', 'olga@example.com')
  bootstrap()
  expect(commit('Begin').status).toBe(0)
  return head()
}

function bootstrap() {
  const { status, stderr } = spawnSync(process.execPath, ['src/cli/bootstrap.mjs', 'nothing'], options())
  return { status, stderr }
}

function commit(message: string) {
  git('add', '--all')
  return git('commit', '--quiet', '--message', message)
}

function head(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], options()).trim()
}

function git(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('git', args, options())
  return { status, stdout, stderr }
}

function asked(): number {
  return existsSync(join(clone, 'asked')) ? readFileSync(join(clone, 'asked'), 'utf8').length : 0
}

function write(path: string, text: string): void {
  appendFileSync(join(clone, path), text)
}

/** Nothing of this machine's settings, nor of the repository whose hook may be running this. */
function options() {
  const { PATH } = process.env
  return {
    cwd: clone,
    encoding: 'utf8' as const,
    env: { PATH, HOME: clone, GIT_CONFIG_NOSYSTEM: '1', NODE_NO_WARNINGS: '1', NODE_ENV: 'test' as const },
  }
}
