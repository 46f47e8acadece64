import { expect, test } from 'vitest'
import type { Change } from '#cli/mutants/mutant.ts'
import { MUTANTS } from '#cli/mutants/mutants.ts'
import { readTracked, trackedPaths } from '#tests/support/source-files.ts'

const paths = new Set(trackedPaths())

test('what a mutant takes out stands exactly once where it says, so that none rots', () => {
  const rotten = MUTANTS.flatMap(({ name, ...mutant }) =>
    [mutant, ...(mutant.and ?? [])].flatMap((change) => {
      const problem = problemOf(change)
      return problem ? [`${name}: ${problem}`] : []
    }),
  )
  expect(rotten).toEqual([])
})

test('the file of the test that must notice is there', () => {
  expect(MUTANTS.filter(({ test: { file } }) => !paths.has(file)).map(({ name }) => name)).toEqual([])
})

test('a mutant is named once', () => {
  const names = MUTANTS.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

/** A file that the change makes anew must not be there, and holds nothing to find. */
function problemOf({ file, find, becomes }: Change): string | undefined {
  if (find === '') return paths.has(file) ? `${file} is there already` : undefined
  if (!paths.has(file)) return `${file} is not there`
  if (becomes === find) return `it changes nothing in ${file}`
  const times = readTracked(file).text.split(find).length - 1
  return times === 1 ? undefined : `${file} holds ${times} times: ${find}`
}
