import type pg from 'pg'

/** The pool, which lets another transaction commit right before its first statement, or a transaction's, that holds `part`. */
export function interleaved(pool: pg.Pool, part: string, other: () => Promise<unknown>): pg.Pool {
  let isDone = false
  const asking = (on: pg.Pool | pg.PoolClient) => {
    // Statements that travel together stay in order.
    let before: Promise<unknown> = Promise.resolve()
    return (query: string | { text: string }, values?: unknown[]) => {
      const ask = async () => {
        const text = typeof query === 'string' ? query : query.text
        if (!isDone && text.includes(part)) {
          isDone = true
          await other()
        }
        return on.query(query, values)
      }
      const asked = before.then(ask)
      before = asked.catch(() => undefined)
      return asked
    }
  }
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'query') return asking(target)
      if (name !== 'connect') return Reflect.get(target, name, target)
      return async () => {
        const client = await target.connect()
        const ask = asking(client)
        return new Proxy(client, {
          get(inner, property) {
            if (property === 'query') return ask
            const value: unknown = Reflect.get(inner, property, inner)
            return typeof value === 'function' ? value.bind(inner) : value
          },
        })
      }
    },
  })
}
