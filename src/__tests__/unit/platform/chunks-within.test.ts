import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chunksWithin, type Pace } from '#lib/platform/http/chunks-within.ts'

const LONG = 600_000

/** A client that sends what it is told to; `isLetGo` once nobody reads it any more. */
function client() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const state = { isLetGo: false }
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => {
      state.isLetGo = true
    },
  })
  const send = (...bytes: number[]) => controller?.enqueue(Uint8Array.from(bytes))
  const goAway = () => controller?.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  return { body, state, send, end: () => controller?.close(), goAway }
}

async function read(chunks: AsyncIterable<Uint8Array>, at: (chunk: Uint8Array) => unknown = () => undefined) {
  const bytes: number[] = []
  for await (const chunk of chunks) {
    bytes.push(...chunk)
    await at(chunk)
  }
  return bytes
}

test('what keeps pace arrives whole', async () => {
  const { body, send, end } = client()
  send(1, 2)
  send(3)
  end()
  expect(await read(chunksWithin(body, { totalMs: LONG, idleMs: LONG }))).toEqual([1, 2, 3])
})

test('a client that goes away in the middle is no failure of ours', async () => {
  const { body, send, goAway } = client()
  send(1)
  const reading = read(chunksWithin(body, { totalMs: LONG, idleMs: LONG }), goAway)
  await expect(reading).rejects.toMatchObject({ status: 400, code: 'broken-off' })
})

test.each<[string, Pace, RegExp]>([
  ['falls silent', { totalMs: LONG, idleMs: 20 }, /Nothing more of it arrived for 0\.02 seconds/],
  ['drips for ever', { totalMs: 20, idleMs: LONG }, /Not all of it arrived within 0\.02 seconds/],
])('a client that %s is let go', async (_what, pace, sentence) => {
  const { body, send, state } = client()
  send(1)
  const reading = read(chunksWithin(body, pace))
  await expect(reading).rejects.toMatchObject({
    status: 408,
    code: 'too-slow',
    message: expect.stringMatching(sentence),
  })
  expect(state.isLetGo).toBe(true)
})

test('the time that the reader takes is not the client’s', async () => {
  const { body, send, end } = client()
  send(1)
  send(2)
  end()
  expect(await read(chunksWithin(body, { totalMs: LONG, idleMs: 20 }), () => sleep(60))).toEqual([1, 2])
})

test('who stops reading in the middle of a silence waits for nobody', async () => {
  const { body, send, state } = client()
  const stop = new AbortController()
  send(1)
  expect(await read(chunksWithin(body, { totalMs: LONG, idleMs: LONG }, stop.signal), () => stop.abort())).toEqual([1])
  expect(state.isLetGo).toBe(true)
})
