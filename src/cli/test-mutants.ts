import { rm } from 'node:fs/promises'
import { openTestServer } from '#tests/support/server/test-server.ts'
import { ensureClientTypes } from './home/client-types.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { endRunning, judge, passing, type Verdict } from './mutants/judge.ts'
import type { Mutant } from './mutants/mutant.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { copyTree, plant } from './mutants/tree.ts'
import { Problem, runCommand } from './problem.ts'
import { stopOnInterrupt } from './test/interrupt.ts'

/** Copies of the clone that are tried at once: a test that waits for a lease leaves the machine to another. */
const TREES = 2

/** `npm run test:mutants`: takes each guarantee out, in a copy of the clone, and demands that its test notices. */
await runCommand(async () => {
  const words = process.argv.slice(2)
  const mutants = MUTANTS.filter(({ name }) => words.every((word) => name.includes(word)))
  if (mutants.length === 0) throw new Problem(`No mutant's name holds "${words.join(' ')}".`)
  await ensurePrismaClient()
  await ensureClientTypes()
  const server = await openTestServer()
  const trees = await Promise.all(Array.from({ length: TREES }, copyTree))
  const close = async () => {
    endRunning()
    await server.stop()
    for (const tree of trees) await rm(tree, { recursive: true, force: true })
  }
  stopOnInterrupt(close)
  let killed = 0
  try {
    const sound = new Set<string>()
    const files = Map.groupBy(mutants, ({ test }) => test.file)
    await shareOut(trees, [...files.values()], async (tree, ofFile) => {
      const tests = ofFile.map(({ test }) => test)
      for (const name of await passing(tree, tests, server.url)) sound.add(name)
    })
    await shareOut(trees, mutants, async (tree, mutant) => {
      const verdict = sound.has(mutant.test.name)
        ? await tryOut(tree, mutant, server.url)
        : { killed: false as const, why: `its test does not pass as it is: ${mutant.test.name}` }
      if (verdict.killed) killed += 1
      process.stdout.write(
        `${verdict.killed ? 'killed' : 'SURVIVED'}: ${mutant.name}${verdict.killed ? '' : `, because ${verdict.why}`}\n`,
      )
    })
  } finally {
    await close()
  }
  process.stdout.write(`\n${killed} mutants killed, ${mutants.length - killed} survived\n`)
  if (killed < mutants.length) process.exitCode = 1
})

/** Each tree takes the next piece of work when it has done the one before. */
async function shareOut<T>(
  trees: readonly string[],
  work: readonly T[],
  carryOut: (tree: string, piece: T) => Promise<void>,
) {
  const pieces = work.values()
  await Promise.all(
    trees.map(async (tree) => {
      for (const piece of pieces) await carryOut(tree, piece)
    }),
  )
}

async function tryOut(tree: string, mutant: Mutant, serverUrl: string): Promise<Verdict> {
  const planted = await plant(tree, mutant)
  if ('problem' in planted) return { killed: false, why: planted.problem }
  try {
    return await judge(tree, mutant, serverUrl)
  } finally {
    await planted.takeBack()
  }
}
