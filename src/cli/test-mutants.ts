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

/** `npm run test:mutants`: takes each guarantee out, in a copy of the clone, and demands that its test notices. */
await runCommand(async () => {
  const words = process.argv.slice(2)
  const mutants = MUTANTS.filter(({ name }) => words.every((word) => name.includes(word)))
  if (mutants.length === 0) throw new Problem(`No mutant's name holds "${words.join(' ')}".`)
  await ensurePrismaClient()
  await ensureClientTypes()
  const server = await openTestServer()
  const tree = await copyTree()
  const close = async () => {
    endRunning()
    await server.stop()
    await rm(tree, { recursive: true, force: true })
  }
  stopOnInterrupt(close)
  let killed = 0
  try {
    const sound = await passing(
      tree,
      mutants.map(({ test }) => test),
      server.url,
    )
    for (const mutant of mutants) {
      const verdict = sound.has(mutant.test.name)
        ? await tryOut(tree, mutant, server.url)
        : { killed: false as const, why: `its test does not pass as it is: ${mutant.test.name}` }
      if (verdict.killed) killed += 1
      process.stdout.write(
        `${verdict.killed ? 'killed' : 'SURVIVED'}: ${mutant.name}${verdict.killed ? '' : `, because ${verdict.why}`}\n`,
      )
    }
  } finally {
    await close()
  }
  process.stdout.write(`\n${killed} mutants killed, ${mutants.length - killed} survived\n`)
  if (killed < mutants.length) process.exitCode = 1
})

async function tryOut(tree: string, mutant: Mutant, serverUrl: string): Promise<Verdict> {
  const planted = await plant(tree, mutant)
  if ('problem' in planted) return { killed: false, why: planted.problem }
  try {
    return await judge(tree, mutant, serverUrl)
  } finally {
    await planted.takeBack()
  }
}
