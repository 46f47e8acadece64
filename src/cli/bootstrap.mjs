// The first thing that a bare clone runs, so it must work on Node 20 with nothing installed: it installs what the
// lock file names, then hands over to the pinned runtime (which knows today's time zones and runs TypeScript as it is).
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const [command, ...args] = process.argv.slice(2)

if (!command || !existsSync(join(root, 'src/cli', `${command}.ts`))) stop(`There is no command "${command ?? ''}".`)
if (major(process.versions.node) < 20) {
  stop(
    `Sendonce needs Node 20 or newer to start; this is ${process.versions.node}. Install a newer Node and try again.`,
  )
}

if (!isInstalled()) install()
pointGitAtHooks()
handOver(findRuntime())

/** npm writes node_modules/.package-lock.json last, so an interrupted installation is seen as none. */
function isInstalled() {
  const wanted = readLock(join(root, 'package-lock.json'))
  const installed = readLock(join(root, 'node_modules/.package-lock.json'))
  if (!wanted) stop('package-lock.json is missing or damaged; restore it with: git checkout package-lock.json')
  if (!installed) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.peer) return true
    return installed[path]?.version === entry.version
  })
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined // absent or cut short: the same to us
  }
}

function install() {
  process.stdout.write('Installing the packages of the lock file (first start only; about a minute)…\n')
  const npm = process.env.npm_execpath
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_ENV: '' } }
  const done = npm ? spawnSync(process.execPath, [npm, ...flags], options) : spawnSync('npm', flags, options)
  if (done.signal) process.exit(130)
  if (done.status !== 0) {
    stop(
      'The packages could not be installed. Check that the npm registry can be reached and that this folder is writable, then try again.',
    )
  }
}

/**
 * Lets git ask before a commit lands on main. Where hooks are in use already, they stay; where there is no git, or no
 * repository (a tarball, a copy inside another project's clone), there is nothing to ask about.
 */
function pointGitAtHooks() {
  if (!existsSync(join(root, '.git')) || !existsSync(join(root, '.ci/hooks'))) return
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const { status, stdout } = git('rev-parse', '--git-path', 'hooks')
  if (status !== 0 || !isUnused(resolve(root, stdout.trim()))) return
  if (git('config', '--get', 'core.hooksPath').status === 1) git('config', 'core.hooksPath', '.ci/hooks')
}

/** git puts only samples there. */
function isUnused(hooks) {
  return !existsSync(hooks) || readdirSync(hooks).every((name) => name.endsWith('.sample'))
}

function findRuntime() {
  const pinned = join(root, 'node_modules/.bin/node')
  if (existsSync(pinned) && spawnSync(pinned, ['--version']).status === 0) return pinned
  const [mine, minor] = process.versions.node.split('.').map(Number)
  if (mine > 22 || (mine === 22 && minor >= 18)) return process.execPath
  stop(
    `No pinned Node runtime exists for ${process.platform}/${process.arch}, and Node ${process.versions.node} is too old to stand in for it. Install Node 24 and try again.`,
  )
}

function handOver(runtime) {
  const child = spawn(runtime, [join(root, 'src/cli', `${command}.ts`), ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH ?? ''}` },
  })
  // The child ends in its own good order and decides the exit code; we only pass on what we are told.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // npm may be killed without a word to us; the process that adopts us then did not start us.
  const startedBy = process.ppid
  setInterval(() => process.ppid !== startedBy && child.kill('SIGTERM'), 500).unref()
  child.on('error', (error) => stop(`The runtime could not be started: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}

function major(version) {
  return Number(version.split('.')[0])
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
