import { setTimeout as sleep } from 'node:timers/promises'

/** Vercel calls every five minutes; a person at home wants to see a launch leave. Ticks may overlap without harm. */
const PERIOD_MS = 3 * 1000
/** A tick goes on as long as something is due soon; a second one beside it sees to everything else. */
const CALLS_AT_ONCE = 2

/** Calls the cron endpoint as Vercel would: with the secret, again and again, also while the last call goes on. */
export function startCron(appUrl: string, secret: string, say: (line: string) => void): { stop(): void } {
  const stopping = new AbortController()
  let calls = 0
  const call = async () => {
    if (calls === CALLS_AT_ONCE) return
    calls += 1
    try {
      const response = await fetch(`${appUrl}/api/cron/send-emails`, {
        headers: { authorization: `Bearer ${secret}` },
        signal: stopping.signal,
      })
      if (!response.ok) say(`A tick failed (${response.status}); the server's log tells why.`)
      await response.arrayBuffer()
    } catch {
      if (!stopping.signal.aborted) say('A tick could not be called: the server did not answer.')
    } finally {
      calls -= 1
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      void call()
      await sleep(PERIOD_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  void run()
  return { stop: () => stopping.abort() }
}
