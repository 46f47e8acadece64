import { appendFileSync } from 'node:fs'
import pg from 'pg'
import pino from 'pino'
import type { TellMember } from '#lib/actions/run/tell-member.ts'
import { createPool } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'

/**
 * Ticks without sending until nothing is left to do, and dies at one commit that changes anything: node actions-process.ts
 * URL FILE NUMBER before|after. Which these are is not listed anywhere: a transaction that has written has an id of its own,
 * and Postgres is asked for it before each COMMIT. A statement outside a transaction is one by itself. Each is written to the
 * file, by the first words of what it changed.
 */
const [url = '', file = '', number = '', side = 'before'] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const CHANGES = /\b(?:INSERT INTO|UPDATE|DELETE FROM) "?(?!OF\b|SKIP\b)[a-z_]+/g
const open = new WeakMap<pg.Client, Set<string>>()
let commits = 0

const die = () => process.kill(process.pid, 'SIGKILL')
const textOf = (statement: unknown) =>
  typeof statement === 'string' ? statement : ((statement as { text?: string } | undefined)?.text ?? '')

const send = pg.Client.prototype.query
const plainly = (client: pg.Client, ...parts: unknown[]) =>
  Reflect.apply(send, client, parts) as Promise<pg.QueryResult>

async function commit(client: pg.Client, changes: ReadonlySet<string>): Promise<pg.QueryResult> {
  const { rows } = await plainly(client, 'SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS wrote')
  if (!rows[0]?.wrote) return plainly(client, 'COMMIT')
  commits += 1
  const isIt = commits === Number(number)
  appendFileSync(file, `${[...changes].join(', ') || 'a function'}\n`)
  if (isIt && side === 'before') die()
  try {
    return await plainly(client, 'COMMIT')
  } finally {
    if (isIt) die()
  }
}

type Told = (error: unknown, result?: pg.QueryResult) => void

/** A statement of the pool's own, in a transaction of its own as it would be anyway: so that its commit can be seen. */
async function alone(client: pg.Client, statement: unknown, values: unknown, tell: Told): Promise<void> {
  try {
    await plainly(client, 'BEGIN')
    const result = await plainly(client, statement, values)
    await commit(client, new Set(textOf(statement).match(CHANGES)))
    tell(null, result)
  } catch (error) {
    await plainly(client, 'ROLLBACK').catch(() => undefined)
    tell(error)
  }
}

pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
  const text = textOf(parts[0])
  const last = parts.at(-1)
  if (typeof last === 'function')
    return void alone(this, parts[0], parts.length > 2 ? parts[1] : undefined, last as Told)
  if (/^BEGIN/.test(text)) open.set(this, new Set())
  const inside = open.get(this)
  if (/^(COMMIT|ROLLBACK)$/.test(text)) open.delete(this)
  if (text === 'COMMIT' && inside) return commit(this, inside)
  for (const change of text.match(CHANGES) ?? []) inside?.add(change)
  return plainly(this, ...parts)
} as typeof send

const tellMember: TellMember = async (tx, { workspaceId, prospectId, note }) => {
  await tx.query('INSERT INTO told_in_tests VALUES ($1, $2, $3)', [workspaceId, prospectId, note])
  return 'told'
}

const pool = createPool(url, 2)
for (let done = 1; done > 0; ) {
  const tick = await runTick(pool, `process-${process.pid}`, log, { tellMember })
  done = tick.actionsDone + tick.campaignsStarted + tick.emailsAppended + tick.emailsScheduled
}
await pool.end()
