import { expect, test } from 'vitest'
import { AskedTogether, sameForAll } from '#lib/platform/connections/asked-together.ts'

/** Rounds that end when they are told to, each question with what it asked. */
function heldRounds() {
  const rounds: { asks: string[]; end: () => void; fail: (error: Error) => void }[] = []
  const round = (asks: string[]) =>
    new Promise<string[]>((done, fail) =>
      rounds.push({ asks, end: () => done(asks.map((ask) => `${ask} of ${rounds.length}`)), fail }),
    )
  return { rounds, round }
}

const turn = () => new Promise((later) => setImmediate(later))

test('all that ask in one turn go together, and those that ask meanwhile in the next round, which begins after they asked', async () => {
  const { rounds, round } = heldRounds()
  const together = new AskedTogether<string, string>()
  const first = together.of('name', 'a', round)
  await turn()
  const others = ['b', 'c', 'd'].map((ask) => together.of('name', ask, round))
  expect(rounds.map(({ asks }) => asks)).toEqual([['a']])
  rounds[0]?.end()
  expect(await first).toBe('a of 1')
  await turn()
  const late = together.of('name', 'e', round)
  expect(rounds.map(({ asks }) => asks)).toEqual([['a'], ['b', 'c', 'd']])
  rounds[1]?.end()
  expect(await Promise.all(others)).toEqual(['b of 2', 'c of 2', 'd of 2'])
  await turn()
  rounds[2]?.end()
  expect(await late).toBe('e of 3')
  for (const ask of ['f', 'g']) void together.of('name', ask, round)
  await turn()
  expect(rounds.at(-1)?.asks).toEqual(['f', 'g'])
})

test('what is asked by another name waits for no round of this one', async () => {
  const { rounds, round } = heldRounds()
  const together = new AskedTogether<string, string>()
  for (const name of ['a', 'b']) void together.of(name, name, round)
  await turn()
  expect(rounds.map(({ asks }) => asks)).toEqual([['a'], ['b']])
})

test('a round that fails does so for those who asked in it, and the next is tried', async () => {
  const { rounds, round } = heldRounds()
  const together = new AskedTogether<string, string>()
  const first = together.of('name', 'a', round)
  await turn()
  const second = together.of('name', 'b', round)
  rounds[0]?.fail(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await turn()
  rounds[1]?.end()
  expect(await second).toBe('b of 2')
})

test('no round is larger than a whole one, unless a single question is', async () => {
  const { rounds, round } = heldRounds()
  const together = new AskedTogether<string, string>((ask) => ask.length / 4)
  for (const ask of ['a', 'bb', 'cc', 'dddddd', 'e']) void together.of('name', ask, round)
  await turn()
  for (let at = 0; at < rounds.length; at += 1) {
    rounds[at]?.end()
    await turn()
  }
  expect(rounds.map(({ asks }) => asks)).toEqual([['a', 'bb'], ['cc'], ['dddddd'], ['e']])
})

test('a thousand who ask the same are answered by one reading', async () => {
  let readings = 0
  const read = async () => {
    await turn()
    readings += 1
    return readings
  }
  const together = new AskedTogether<undefined, number>()
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => together.of('name', undefined, sameForAll(read))),
  )
  expect([new Set(answers), readings]).toEqual([new Set([1]), 1])
})
