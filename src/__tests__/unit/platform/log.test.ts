import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from '#lib/platform/log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  write(createLog('info', sink))
  return lines.join('')
}

test('no secret and no body reaches the log, at any depth that we log', () => {
  const text = logged((log) =>
    log.info(
      {
        password: 'hunter2',
        mailbox: { credentials: 'hunter2', address: 'a@x.test' },
        request: { headers: { authorization: 'hunter2' } },
      },
      'x',
    ),
  )
  expect(text).not.toContain('hunter2')
  expect(text).toContain('a@x.test')
})

test('an error that quotes a connection string or a bearer token loses the secret', () => {
  const error = new Error('cannot connect to postgresql://admin:hunter2@db/x with Bearer hunter2', {
    cause: new Error('smtp://me:hunter2@host'),
  })
  const text = logged((log) => log.error({ error }, 'failed'))
  expect(text).not.toContain('hunter2')
  expect(text).toContain('cannot connect to postgresql://admin:[hidden]@db/x')
})
