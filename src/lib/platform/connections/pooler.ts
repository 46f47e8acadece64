import type pg from 'pg'

/** In milliseconds; 0 is none. */
export type SessionLimits = { statementMs: number; idleInTransactionMs: number; idleSessionMs: number }

/** What a pool knows of the way to its server. */
export type Way = {
  /** Told by the environment; else it is found out for each connection. */
  isPooled: boolean
  /** False once a name was there that should not have been, or was not where it should have been. */
  areNamesKept: boolean
}

/**
 * Connections behind a pooler in transaction mode (PgBouncer, Supavisor, Neon's), where each transaction may run on another
 * backend: a setting of the session or a named statement stays behind on one, and the next transaction meets it there, or
 * misses it elsewhere.
 */
const pooled = new WeakMap<pg.ClientBase, SessionLimits>()

/**
 * Before a new connection is first used. A pooler hands out a key of its own for cancelling, so the process that it names
 * is not the one that answers: so it is found out, whatever makes it. In the same statement a session gets its limits, and
 * the isolation and the dates that we count on.
 * They are not asked for while connecting, since a pooler refuses a connection that asks for what it does not know.
 */
export async function meetServer(client: pg.ClientBase, limits: SessionLimits, way: Way): Promise<void> {
  const { rows } = await client.query<{ isDirect: boolean }>(
    `SELECT is_direct AS "isDirect", CASE WHEN is_direct THEN set_config('statement_timeout', $2, false) END,
       CASE WHEN is_direct THEN set_config('idle_in_transaction_session_timeout', $3, false) END,
       CASE WHEN is_direct THEN set_config('idle_session_timeout', $4, false) END,
       CASE WHEN is_direct THEN set_config('default_transaction_isolation', 'read committed', false) END,
       CASE WHEN is_direct THEN set_config('datestyle', 'ISO, MDY', false) END
     FROM (SELECT coalesce(pg_backend_pid() = $1::int8, false) AS is_direct) way`,
    [
      way.isPooled ? null : backendOf(client),
      String(limits.statementMs),
      String(limits.idleInTransactionMs),
      String(limits.idleSessionMs),
    ],
  )
  if (!rows[0]?.isDirect) pooled.set(client, limits)
  const query = client.query.bind(client)
  Object.assign(client, {
    query: (statement: unknown, ...rest: unknown[]) =>
      Reflect.apply(query, client, [
        way.areNamesKept && !pooled.has(client) ? statement : withoutName(statement),
        ...rest,
      ]),
  })
}

/** Whether each transaction on this connection may run on another backend. */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid !== backendOf(client)
}

/**
 * Whatever a database or a role begins with by default: a statement that has waited for a lock must see what was
 * committed since, and dates are read as ISO writes them.
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

/** Behind a pooler a transaction brings its limits and its way of writing dates along, in the round trip that begins it. */
export function beginStatement(client: pg.ClientBase): string {
  const limits = pooled.get(client)
  if (!limits) return BEGIN
  const { statementMs, idleInTransactionMs } = limits
  return `${BEGIN}; SET LOCAL datestyle = 'ISO, MDY'; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`
}

/**
 * A name that exists already (42P05) or is gone (26000): the way to the server is not what it seemed. A plan whose result
 * has changed since it was prepared (0A000): a migration has come by. In each case the statement was not carried out.
 */
export function isStatementLost(error: unknown): boolean {
  return ['42P05', '26000', '0A000'].includes(codeOf(error))
}

/** After an error of a named statement: whether names are to be trusted any longer. */
export function learnFrom(error: unknown, way: Way): void {
  if (isStatementLost(error) && codeOf(error) !== '0A000') way.areNamesKept = false
}

export function withoutName<T>(statement: T): T {
  return isNamed(statement) ? { ...statement, name: undefined } : statement
}

export function isNamed(statement: unknown): boolean {
  return typeof statement === 'object' && statement !== null && 'name' in statement && statement.name !== undefined
}

function backendOf(client: pg.ClientBase): unknown {
  return 'processID' in client ? client.processID : null
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
