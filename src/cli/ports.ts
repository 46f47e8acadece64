import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { Problem } from './problem.ts'

/** Below the range from which systems lend ports to outgoing connections: such a loan would take the port before we listen. */
const CHOICE = { min: 20_000, max: 32_000 }
const TRIES = 50
const STARTS_MAX = 5

/** `preferred` if it is free, else (or for 0) another one that is. */
export async function freePort(preferred: number): Promise<number> {
  if (preferred !== 0 && (await tryPort(preferred)) !== undefined) return preferred
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = await tryPort(randomInt(CHOICE.min, CHOICE.max))
    if (port !== undefined) return port
  }
  throw new Problem(`No free port was found between ${CHOICE.min} and ${CHOICE.max}.`)
}

/**
 * Starts what listens on a port of its own. Another program may take the port between our look and the listening, as a
 * second start in the same moment does. The start then fails, and is tried again on another port.
 */
export async function startOnFreePort<T>(preferred: number, start: (port: number) => Promise<T>): Promise<T> {
  let port = await freePort(preferred)
  for (let starts = 1; ; starts += 1) {
    try {
      return await start(port)
    } catch (error) {
      const next = await freePort(port)
      if (next === port || starts === STARTS_MAX) throw error
      port = next
    }
  }
}

/** Both loopbacks, since a server on either would answer to "localhost" in our place. */
async function tryPort(port: number): Promise<number | undefined> {
  const got = await listenOnce(port, '127.0.0.1')
  if (got === undefined) return undefined
  const other = await listenOnce(got, '::1')
  return other === undefined && (await hasIpv6()) ? undefined : got
}

async function hasIpv6(): Promise<boolean> {
  return (await listenOnce(0, '::1')) !== undefined
}

function listenOnce(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      const got = typeof address === 'object' && address ? address.port : port
      server.close(() => resolve(got))
    })
  })
}
