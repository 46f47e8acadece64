import { createServer } from 'node:net'

/** `preferred` if nobody has it, else one that is free. */
export async function freePort(preferred: number): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred
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
