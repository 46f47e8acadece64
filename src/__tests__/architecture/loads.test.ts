import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'

/** Tells the packages of everything that is loaded, at the end. */
const TELLING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const [, name] = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? []
      if (name) packages.add(name)
      return next(url, context)
    },
  })
  process.on('exit', () => process.stdout.write(JSON.stringify([...packages])))
`)}`

/** Asked for what it does not take, it has loaded all that it begins with, and ends. */
async function packagesOf(command: string): Promise<string[]> {
  const started = promisify(execFile)(process.execPath, ['--import', TELLING, command, 'nonsense'], {
    cwd: projectRoot,
  })
  const { stdout } = await started.catch((failed: { stdout: string }) => failed)
  return JSON.parse(stdout)
}

test('a worker begins without what it may never need: who signs in, Google, brokers, holidays', async () => {
  const packages = await packagesOf('src/cli/worker.ts')
  expect(packages).toEqual(expect.arrayContaining(['pg', 'nodemailer', 'html-to-text']))
  const foreign =
    /^(better-auth|@better-auth\/.*|kysely|googleapis|amqplib|bullmq|ioredis|date-holidays|date-fns.*|next|react)$/
  expect(packages.filter((name) => foreign.test(name))).toEqual([])
})
