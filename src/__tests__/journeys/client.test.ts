import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { createSendonce, SendonceError } from '#client/sendonce.ts'
import { mailCount, PASSWORD } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'
import { HttpPerson } from '#tests/support/server/http-person.ts'

/** The typed client, as a program elsewhere uses it, against the server as shipped. */
const app = testApp()
const keys = { send: '', read: '' }

/** Hands everything on, and lets the first answers get lost. */
const lossy = { server: undefined as Server | undefined, url: '', toLose: 0, passed: 0 }

beforeAll(async () => {
  const owner = new HttpPerson(app.url)
  const signUp = { name: 'Olga', email: 'olga@example.com', password: PASSWORD, workspaceName: 'Acme' }
  await owner.ask('POST', '/api/setup', signUp)
  const smtp = { host: '127.0.0.1', port: app.smtpPort, security: 'NONE', username: null }
  await owner.ask('POST', '/api/mailboxes', { address: 'ann@acme.example', displayName: 'Ann Acme', smtp })
  for (const scope of ['send', 'read'] as const)
    keys[scope] = (await owner.ask<{ key: string }>('POST', '/api/api-keys', { name: scope, scopes: [scope] })).key
  lossy.server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const onwards = request(new URL(url ?? '/', app.url), { method, headers }, (answer) => {
      lossy.passed += 1
      if (lossy.toLose > 0) {
        lossy.toLose -= 1
        answer.resume().on('end', () => outgoing.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onwards)
  })
  await new Promise<void>((resolve) => lossy.server?.listen(0, '127.0.0.1', resolve))
  lossy.url = `http://127.0.0.1:${(lossy.server.address() as AddressInfo).port}`
})
afterAll(() => lossy.server?.close())

test('the example of the README is that of the client, and sends one email, however often it runs', async () => {
  const example = readFileSync(join(projectRoot, 'src/client/example.ts'), 'utf8')
  expect(readFileSync(join(projectRoot, 'README.md'), 'utf8')).toContain(`\`\`\`ts\n${example}\`\`\``)
  const run = async () => {
    const env = { ...process.env, SENDONCE_URL: app.url, SENDONCE_KEY: keys.send }
    return (await promisify(execFile)(process.execPath, ['src/client/example.ts'], { cwd: projectRoot, env })).stdout
  }
  const said = await run()
  expect(said).toMatch(/^sent [0-9a-f-]{36}\n$/)
  expect(await run()).toBe(said)
  expect(await mailCount(app, 'ada@example.com')).toBe(1)
})

test('an answer that gets lost is asked for again, and nothing is sent twice', async () => {
  const sendonce = createSendonce({ url: lossy.url, key: keys.send })
  lossy.toLose = 2
  const email = await sendonce('POST /api/emails', {
    body: { to: 'lost@example.com', subject: 'Lost', text: 'An answer got lost.' },
  })
  expect([email.result, lossy.passed]).toEqual(['sent', 3])
  expect(await mailCount(app, 'lost@example.com')).toBe(1)
  const read = await sendonce('GET /api/emails/{id}', { params: { id: email.id } })
  expect([read.id, read.to]).toEqual([email.id, 'lost@example.com'])
})

test('a refusal is thrown as it was told, and is not asked again', async () => {
  const sendonce = createSendonce({ url: app.url, key: keys.read })
  const refused = sendonce('POST /api/emails', { body: { to: 'ada@example.com', subject: 'No', text: 'No' } })
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SendonceError)
  expect(error).toMatchObject({ status: 403, code: 'scope-missing' })
  expect((await sendonce('GET /api/lists')).lists).toEqual([])
  const nowhere = createSendonce({ url: 'http://127.0.0.1:9', key: keys.read, triesMax: 1 })
  await expect(nowhere('GET /api/lists')).rejects.toMatchObject({ status: 0, code: 'unreachable' })
})
