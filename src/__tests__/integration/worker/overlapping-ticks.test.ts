import { expect, test } from 'vitest'
import { recordTickStart } from '#lib/worker/heartbeat.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('two ticks whose starts are answered in the other order are no sign of a database that went back', async () => {
  await recordTickStart(db.pool, 'before')
  const second = Promise.withResolvers<void>()
  let asked = 0
  const pool = new Proxy(db.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name, target)
      return async (text: string, values: unknown[]) => {
        asked += 1
        const isFirst = asked === 1
        const answer = await target.query(text, values)
        // The first tick's answer is on its way until the second tick has had its own.
        if (isFirst) await second.promise
        return answer
      }
    },
  })
  const first = recordTickStart(pool, 'home')
  const later = await recordTickStart(pool, 'worker')
  second.resolve()
  expect([(await first).hasGoneBack, later.hasGoneBack]).toEqual([false, false])
  expect((await recordTickStart(pool, 'home')).hasGoneBack).toBe(false)
})
