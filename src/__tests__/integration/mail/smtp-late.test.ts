import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { ScriptedPeer } from '#tests/support/mail/scripted-smtp.ts'
import {
  brief,
  LATE,
  LONG_MS,
  LOST,
  message,
  SILENT,
  SOON_MS,
  STEPS,
  send,
  testPeers,
  UNCLEAR,
} from '#tests/support/mail/smtp-peers.ts'

const { start, transportTo, connectTo } = testPeers()

/** As when a machine is short of time: nothing of this process runs. */
function stallFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

type Begun<T> = { peer: ScriptedPeer; answer: Promise<T>; isThere: () => boolean }

/** Stands still once it is there, past all time. A busy machine may not come so far in time: then it is begun again. */
async function stalledAt<T>(begin: () => Promise<Begun<T>>): Promise<[T, ScriptedPeer]> {
  for (;;) {
    const { peer, answer, isThere } = await begin()
    let isOver = false
    void answer.then(() => {
      isOver = true
    })
    await expect.poll(() => isOver || isThere(), { interval: 5 }).toBe(true)
    if (isOver) continue
    stallFor(SOON_MS + 1_100)
    return [await answer, peer]
  }
}

describe('a server that is late', () => {
  test('with its 354 gets none of the message, however long it waits', async () => {
    const peer = await start({ script: { data: { delayMs: 2 * SOON_MS } } })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, SOON_MS))).toBe(LATE)
    expect(connection.isUsable()).toBe(false)
    await sleep(3 * SOON_MS)
    expect(peer.bodyBytes).toBe(0)
    expect(peer.accepted).toEqual([])
  })

  test('is not only held to the timer: where the machine stalls as the go-ahead is read, nothing goes', async () => {
    // Without pipelining the go-ahead comes alone, and what is read in one turn of the loop is handled before its timers.
    const peer = await start({ offers: ['AUTH PLAIN'] })
    const connection = await connectTo(peer)
    const emit = Socket.prototype.emit as (...event: unknown[]) => boolean
    const stalling = vi.spyOn(Socket.prototype, 'emit').mockImplementation(function (
      this: Socket,
      ...event: unknown[]
    ) {
      if (event[0] === 'data' && String(event[1]).startsWith('354')) stallFor(SOON_MS)
      return emit.apply(this, event)
    })
    const outcome = await send(peer, connection, SOON_MS)
    stalling.mockRestore()
    expect(brief(outcome)).toBe(LATE)
    await sleep(50)
    expect(peer.bodyBytes).toBe(0)
  })

  test('is not blamed where this process stood still: nothing goes, and the sentence says so', async () => {
    const [outcome, peer] = await stalledAt(async () => {
      const peer = await start({ offers: ['AUTH PLAIN'], script: { data: STEPS.hang } })
      const answer = send(peer, await connectTo(peer), SOON_MS)
      return { peer, answer, isThere: () => peer.commands.includes('DATA') }
    })
    expect(outcome).toMatchObject({ kind: 'retry', code: 'WORKER_STALLED' })
    expect(peer.bodyBytes).toBe(0)
  })

  test('with its answer is not blamed either where this process stood still after the hand-over', async () => {
    const [outcome] = await stalledAt(async () => {
      const peer = await start({ script: { dot: STEPS.hang } })
      const answer = send(peer, await connectTo(peer), SOON_MS)
      return { peer, answer, isThere: () => peer.bodyBytes > 0 }
    })
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'STALLED_AFTER_DATA' })
  })

  test('is not blamed where this process stood still while it was connecting', async () => {
    const [connecting] = await stalledAt(async () => {
      const peer = await start({ script: { banner: STEPS.hang } })
      return { peer, answer: transportTo(peer).connect(SOON_MS), isThere: () => peer.connections === 1 }
    })
    expect(connecting).toMatchObject({ ok: false, outcome: { kind: 'retry', code: 'WORKER_STALLED' } })
  })

  test('is not blamed either where this process stood still and went on just before its time was over', async () => {
    const peer = await start({ script: { banner: STEPS.hang } })
    const connecting = transportTo(peer).connect(3_000)
    await expect.poll(() => peer.connections, { interval: 5 }).toBe(1)
    stallFor(2_000)
    expect(await connecting).toMatchObject({ ok: false, outcome: { kind: 'retry', code: 'WORKER_STALLED' } })
  })

  test('with its final answer leaves the message unknown, and the connection is not used again', async () => {
    const peer = await start({ script: { dot: { delayMs: 2 * SOON_MS } } })
    const connection = await connectTo(peer)
    expect(brief(await send(peer, connection, SOON_MS))).toBe(SILENT)
    expect(brief(await connection.submit(message(), LONG_MS))).toBe(LOST)
    expect(peer.commands.filter((command) => command === 'DATA')).toHaveLength(1)
  })

  const large = () => message('x'.repeat(998).concat('\r\n').repeat(20_000))

  test('in the middle of a large message: the rest of it never leaves, however long it waits', async () => {
    const peer = await start({ offers: ['AUTH PLAIN'], script: { body: { pauseMs: 3 * SOON_MS } } })
    const connecting = vi.spyOn(Socket.prototype, 'connect')
    const connection = await connectTo(peer)
    const socket = connecting.mock.contexts[0] as Socket | undefined
    connecting.mockRestore()
    const outgoing = large()
    expect(brief(await send(peer, connection, SOON_MS, outgoing))).toBe(SILENT)
    // Not closed gently, which would go on to send what is still to be sent.
    expect(socket?.destroyed).toBe(true)
    await sleep(5 * SOON_MS)
    expect(peer.bodyBytes).toBeLessThan(outgoing.raw.byteLength)
    expect(peer.accepted).toEqual([])
  })

  // What fits into the buffers of the system leaves at once, however little of it the server reads.
  test.each([40, 300, 2_000, 20_000])(
    'and says yes before it has the whole message is not believed, and its end never leaves (%i kB)',
    async (kiloBytes) => {
      const script = { body: { reply: '250 2.0.0 Ok', ending: 'hang' } } as const
      const peer = await start({ offers: ['AUTH PLAIN'], script })
      const connection = await connectTo(peer)
      const outgoing = message('x'.repeat(998).concat('\r\n').repeat(kiloBytes))
      expect(brief(await send(peer, connection, LONG_MS, outgoing))).toBe(UNCLEAR)
      expect(connection.isUsable()).toBe(false)
      await sleep(50)
      expect(peer.bodyBytes).toBeLessThan(outgoing.raw.byteLength)
    },
  )
})
