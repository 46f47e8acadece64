const AWAY = /^(?:08|53|57)|^E(?:CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND)/

/** Prisma's own codes for the same, and what its adapter calls it. */
const PRISMAS = /^P(?:1001|1002|1008|1017|2024)$/
const PRISMAS_KINDS = /^(?:DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)$/

const CAUSES_MAX = 6

/**
 * It is the connection or the server that failed (restarting, full, cut off), and not the statement. Prisma wraps what the
 * driver said.
 */
export function isServerAway(error: unknown): boolean {
  let cause = error
  for (let depth = 0; depth < CAUSES_MAX && typeof cause === 'object' && cause !== null; depth += 1) {
    const { code = '', originalCode = '', kind = '', message = '', ...more } = partsOf(cause)
    if ([code, originalCode].some((one) => AWAY.test(one) || PRISMAS.test(one)) || PRISMAS_KINDS.test(kind)) return true
    if (cause instanceof Error && code === '' && /connection|timeout/i.test(message)) return true
    cause = more.cause
  }
  return false
}

/** The server lives, and took too long over this statement: the next try would take as long. */
export function wasTooSlow(error: unknown): boolean {
  return typeof error === 'object' && error !== null && partsOf(error).code === '57014'
}

type Parts = { code?: string; originalCode?: string; kind?: string; message?: string; cause?: unknown }

function partsOf(error: object): Parts {
  const text = (name: string) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? value : ''
  }
  const meta: unknown = Reflect.get(error, 'meta')
  const driver: unknown =
    typeof meta === 'object' && meta !== null ? Reflect.get(meta, 'driverAdapterError') : undefined
  return {
    ...{ code: text('code'), originalCode: text('originalCode'), kind: text('kind'), message: text('message') },
    cause: Reflect.get(error, 'cause') ?? driver,
  }
}
