import { lstatSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { environmentVariables, misspeltVariables } from '#lib/platform/env.ts'
import { Problem } from '../problem.ts'

/** Those that `npm start` and the commands read, besides what the product does. */
const AT_HOME = ['DATA_DIR', 'PORT', 'HOST']

/**
 * What is wrong with the file itself. A variable that is misspelt, or a line that lacks its sign, would be passed over in
 * silence, and everything would run on another database than the one that was meant. No value is repeated.
 */
export function problemsOfEnvFile(text: string): string[] {
  const known = [...environmentVariables, ...AT_HOME]
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)(?!\w)(?!\s*=)/.exec(line)?.[1]
    return name !== undefined && known.includes(name.toUpperCase())
      ? [
          `.env, line ${index + 1}: ${name} is not followed by "=", so it would not be set. Write ${name.toUpperCase()}=value.`,
        ]
      : []
  })
  const misspelt = misspeltVariables(Object.keys(parseEnv(text)), known)
  return [...lines, ...misspelt.map(({ name, meant }) => `.env: ${name} is not known; did you mean ${meant}?`)]
}

/** Nothing where nothing is there. Whatever else is there is meant, so it is read or refused, and never passed over. */
export function readEnvFile(file: string): string | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  const text = readText(file).replace(/^\uFEFF/, '')
  if (text.includes('\0')) throw new Problem('.env is not plain text, or is UTF-16. Save it as UTF-8.')
  return text
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Problem(whyUnread(error instanceof Error && 'code' in error ? String(error.code) : String(error)))
  }
}

function whyUnread(code: string): string {
  switch (code) {
    case 'EISDIR':
      return '.env is a folder, and should be a file. (Docker makes a folder where the file that it is to mount is not there.) Remove it, and put the file in its place or set the variables in the shell.'
    case 'EACCES':
    case 'EPERM':
      return '.env may not be read by this account. Make it readable (chmod u+r .env, or chown), or remove it and set the variables in the shell.'
    case 'ENOENT':
      return '.env is a link to a file that is not there. Put the file there, or remove the link.'
    default:
      return `.env cannot be read (${code}). Mend it, or remove it and set the variables in the shell.`
  }
}
