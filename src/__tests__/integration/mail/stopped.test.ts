import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type PeerScript, startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'

const DEADLINE_MS = 1_500
const SCRIPT = 'src/__tests__/support/faults/submit-process.ts'

/** Stops a process once it has said DATA, lets the answer come, and continues it past its deadline. */
async function stopAndContinue(script: PeerScript) {
  const peer = await startScriptedSmtp({ script })
  const child = fork(SCRIPT, [String(peer.port), String(DEADLINE_MS)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    await expect.poll(() => peer.commands.includes('DATA'), { timeout: 60_000, interval: 5 }).toBe(true)
    child.kill('SIGSTOP')
    const told = once(child, 'message')
    await sleep(2 * DEADLINE_MS)
    child.kill('SIGCONT')
    const [outcome] = await told
    await once(child, 'exit')
    return { outcome, bodyBytes: peer.bodyBytes, accepted: peer.accepted.length }
  } finally {
    child.kill('SIGKILL')
    await peer.close()
  }
}

test('a process that wakes up after its deadline and finds the go-ahead waiting lets nothing go', async () => {
  const { outcome, bodyBytes, accepted } = await stopAndContinue({ data: { delayMs: 300 } })
  expect(outcome).toMatchObject({ kind: 'retry', scope: 'message', code: 'WORKER_STALLED' })
  expect([bodyBytes, accepted]).toEqual([0, 0])
})
