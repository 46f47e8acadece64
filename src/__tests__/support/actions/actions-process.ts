import pg from 'pg'
import pino from 'pino'
import { createPool } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'

/**
 * Ticks without sending until nothing is left to do, and dies at one commit: node actions-process.ts URL NUMBER before|after.
 * A statement outside a transaction is a commit of its own. Without a number it lives.
 */
const [url = '', number = '', side = 'before'] = process.argv.slice(2)
const log = pino({ level: 'silent' })
let commits = 0
let isInside = new WeakSet<object>()

const die = () => process.kill(process.pid, 'SIGKILL')
const textOf = (statement: unknown) =>
  typeof statement === 'string' ? statement : ((statement as { text?: string } | undefined)?.text ?? '')

const send = pg.Client.prototype.query
pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
  const text = textOf(parts[0])
  if (/^BEGIN/.test(text)) isInside.add(this)
  const isCommit = /^COMMIT/.test(text) || !isInside.has(this)
  if (/^(COMMIT|ROLLBACK)/.test(text)) isInside.delete(this)
  if (!isCommit || number === '') return Reflect.apply(send, this, parts)
  commits += 1
  const isIt = commits === Number(number)
  if (isIt && side === 'before') die()
  const answer: unknown = Reflect.apply(send, this, parts)
  if (isIt && answer instanceof Promise) return answer.then(die, die)
  return answer
} as typeof send

const pool = createPool(url, 2)
for (let done = 1; done > 0; ) {
  const { actionsDone, emailsAppended } = await runTick(pool, `process-${process.pid}`, log)
  done = actionsDone + emailsAppended
}
isInside = new WeakSet()
await pool.end()
