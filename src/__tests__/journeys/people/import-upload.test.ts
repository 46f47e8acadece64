import { expect, test } from 'vitest'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()

test('a file larger than Next lets through its proxy arrives whole, and nothing of it is lost', async () => {
  const headers = { origin: app.url, 'content-type': 'application/json' }
  const person = { name: 'Olga', email: 'olga@example.com', password: 'correct horse battery', workspaceName: 'Acme' }
  const signedIn = await fetch(`${app.url}/api/setup`, { method: 'POST', headers, body: JSON.stringify(person) })
  expect(signedIn.status).toBe(200)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

  const note = 'x'.repeat(20_000)
  const lines = Array.from({ length: 1_000 }, (_, index) => `person${index}@example.com,${note}\n`)
  const file = `email,note\n${lines.join('')}`
  expect(file.length).toBeGreaterThan(20_000_000)
  const options = { columns: [{ to: 'email' }, { to: 'ignore' }], onKnown: 'leave' }
  const body = new FormData()
  body.set('options', JSON.stringify(options))
  body.set('file', new Blob([file], { type: 'text/csv' }), 'people.csv')
  const answer = await fetch(`${app.url}/api/prospects/import`, {
    method: 'POST',
    headers: { origin: app.url, cookie },
    body,
  })
  expect(await answer.json()).toMatchObject({ success: true, data: { report: { lines: 1_000, created: 1_000 } } })
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})
