import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LockedPackage, missingPlatformPackages } from './lock/missing.ts'
import { runCommand } from './problem.ts'
import { projectRoot } from './project.ts'

/**
 * Run after `npm install` on a machine whose registry lacks the builds for other platforms: npm leaves those out of
 * the lock file then, and `npm ci` refuses the file everywhere. This writes them in, marked for their platforms.
 */
await runCommand(async () => {
  const file = join(projectRoot, 'package-lock.json')
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(await readFile(file, 'utf8'))
  const missing = missingPlatformPackages(lock.packages)
  const packages = Object.entries({ ...lock.packages, ...missing })
  lock.packages = Object.fromEntries(packages.sort(([one], [other]) => (one < other ? -1 : 1)))
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  process.stdout.write(`Added ${Object.keys(missing).length} packages of other platforms to package-lock.json.\n`)
})
