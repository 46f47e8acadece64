import { parseEnv } from 'node:util'
import { environmentVariables, misspeltVariables } from '#lib/platform/env.ts'

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
