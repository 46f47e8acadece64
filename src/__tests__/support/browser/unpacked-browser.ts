import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '#cli/project.ts'
import { readTracked } from '#tests/support/source-files.ts'

const UNPACK = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`

/**
 * The browser of the lock file's version, unpacked once for each user of the machine. Unpacked apart and moved into
 * place in one step: a second run that starts at the same moment never executes a file that is still being written.
 */
export async function unpackedBrowser(): Promise<string> {
  const { devDependencies } = JSON.parse(readTracked('package.json').text)
  const folder = join(tmpdir(), `sendonce-chromium-${devDependencies['@sparticuz/chromium']}-${userInfo().uid}`)
  const executable = join(folder, 'chromium')
  if (!existsSync(executable)) {
    const fresh = await mkdtemp(`${folder}-`)
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', UNPACK], {
      cwd: projectRoot,
      env: { ...process.env, TMPDIR: fresh },
    })
    // Another run may have been quicker; its files are the same.
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  return executable
}
