import { generateKey } from '#lib/platform/keyring.ts'
import { rotate } from './keys/rotate.ts'
import { Problem, runCommand } from './problem.ts'

const USAGE = `npm run keys -- generate    prints a new key for ENCRYPTION_KEYS
npm run keys -- rotate      encrypts all stored credentials anew with the first key of ENCRYPTION_KEYS`

await runCommand(async () => {
  const [verb, ...rest] = process.argv.slice(2)
  if (rest.length > 0) throw new Problem(USAGE)
  if (verb === 'generate') process.stdout.write(`${generateKey(new Date())}\n`)
  else if (verb === 'rotate') await rotate((line) => process.stdout.write(`${line}\n`))
  else throw new Problem(USAGE)
})
