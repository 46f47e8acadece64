import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join as joinPath } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { createPool } from '#lib/platform/database.ts'
import { CLAIM_SECONDS, keyStoreOf } from '#lib/tenancy/kept-answers.ts'
import {
  ANSWER_BYTES_MAX,
  KEPT_FOR_PEOPLE,
  KEPT_FOR_PROGRAMS,
  KEPT_HOURS,
  type KeptMost,
} from '#lib/tenancy/room-for-answers.ts'
import { runTick } from '#lib/worker/tick.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { endWaiting, heldOpen } from '#tests/support/server/database.ts'
import { type CallInput, join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { interleaved } from '#tests/support/server/interleaved.ts'
import { watched } from '#tests/support/server/watched.ts'
import { silent } from '#tests/support/silent.ts'

/** The same request under the same Idempotency-Key is done once, and answered the same each time. */
const app = testApp()

let owner: Visitor
let workspaceId = ''
let personId = ''
let sequenceId = ''
let otherSequenceId = ''
let campaignId = ''
let prospectId = ''
let otherCampaignId = ''

beforeAll(async () => {
  owner = await setUp()
  const { workspace, person } = await whoAmI(owner)
  workspaceId = workspace?.id ?? ''
  personId = person.id
  const body = { name: 'Welcome', steps: [{ subject: 'Hi', bodyText: 'A word.' }] }
  sequenceId = (await owner.ask<{ id: string }>('POST', '/api/sequences', { body })).id
  await owner.ask('POST', '/api/mailboxes', { body: { address: 'ann@acme.test', smtp: SMTP, test: false } })
  otherSequenceId = (await owner.ask<{ id: string }>('POST', '/api/sequences', { body: { ...body, name: 'Other' } })).id
  const draft = (name: string) => owner.ask<{ id: string }>('POST', '/api/campaigns', { body: { name, sequenceId } })
  campaignId = (await draft('Spring')).id
  otherCampaignId = (await draft('Autumn')).id
  const made = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: 'ada@example.com' },
  })
  prospectId = made.prospect.id
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
})

const newKey = () => crypto.randomUUID()
const word = () => crypto.randomUUID().slice(0, 8)
const keyed = (key: string, input: CallInput): CallInput => ({
  ...input,
  headers: { ...input.headers, 'idempotency-key': key },
})
const post = (path: string, key: string, input: CallInput, who = owner) => who.call('POST', path, keyed(key, input))
const postList = (name: string, key: string, who = owner) => post('/api/lists', key, { body: { name } }, who)
const count = async (table: string) =>
  (await app.db.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)).rows[0]?.count

type Making = { table: string; wanted: () => CallInput; other: () => CallInput; isSecret?: true; isItsOwnKey?: true }

/** Whatever makes something, by its path. */
const MAKING: Record<string, Making> = {
  '/api/admin/outbox/bulks': {
    table: 'email_bulks',
    wanted: () => ({ body: { action: 'cancel', ids: [crypto.randomUUID()] } }),
    other: () => ({ body: { action: 'dismiss', ids: [crypto.randomUUID()] } }),
  },
  '/api/admin/outbox/filters': {
    table: 'queue_filters',
    wanted: () => ({ body: { name: `Refused ${word()}`, filter: { errorCode: 'MESSAGE_REFUSED' } } }),
    other: () => ({ body: { name: 'Another', filter: { errorCode: 'MESSAGE_REFUSED' } } }),
  },
  '/api/api-keys': {
    table: 'api_keys',
    wanted: () => ({ body: { name: `Shop ${word()}`, scopes: ['send'] } }),
    other: () => ({ body: { name: 'Another', scopes: ['send'] } }),
    isSecret: true,
  },
  '/api/campaigns': {
    table: 'campaigns',
    wanted: () => ({ body: { name: `Spring ${word()}`, sequenceId } }),
    other: () => ({ body: { name: 'Another', sequenceId } }),
  },
  '/api/campaigns/[id]/duplicate': {
    table: 'campaigns',
    wanted: () => ({ params: { id: campaignId } }),
    other: () => ({ params: { id: otherCampaignId } }),
  },
  '/api/domains': {
    table: 'sending_domains',
    wanted: () => ({ body: { domain: `${word()}.example` } }),
    other: () => ({ body: { domain: 'another.example' } }),
  },
  '/api/emails': {
    table: 'scheduled_emails',
    wanted: () => ({ body: { to: `${word()}@example.com`, subject: 'Hi', text: 'x', mailbox: 'ann@acme.test' } }),
    other: () => ({ body: { to: 'another@example.com', subject: 'Hi', text: 'x', mailbox: 'ann@acme.test' } }),
    isItsOwnKey: true,
  },
  '/api/events': {
    table: 'person_events',
    wanted: () => ({ body: { name: 'bought', prospectId, data: { order: word() } } }),
    other: () => ({ body: { name: 'visited', prospectId } }),
  },
  '/api/invitations': {
    table: 'invitations',
    wanted: () => ({ body: { email: `${word()}@example.com`, role: 'member' } }),
    other: () => ({ body: { email: 'another@example.com', role: 'member' } }),
  },
  '/api/segments': {
    table: 'segments',
    wanted: () => ({ body: { name: `New ${word()}`, filter: { contacted: 'no' } } }),
    other: () => ({ body: { name: 'Another', filter: { contacted: 'no' } } }),
  },
  '/api/templates': {
    table: 'email_templates',
    wanted: () => ({ body: { name: `Booked ${word()}` } }),
    other: () => ({ body: { name: 'Another' } }),
  },
  '/api/lists': {
    table: 'prospect_lists',
    wanted: () => ({ body: { name: `Readers ${word()}` } }),
    other: () => ({ body: { name: 'Another' } }),
  },
  '/api/mailboxes': {
    table: 'mailboxes',
    wanted: () => ({ body: { address: `${word()}@acme.test`, smtp: SMTP, test: false } }),
    other: () => ({ body: { address: 'another@acme.test', smtp: SMTP, test: false } }),
  },
  '/api/prospects': {
    table: 'prospects',
    wanted: () => ({ body: { email: `${word()}@example.com` } }),
    other: () => ({ body: { email: 'another@example.com' } }),
  },
  '/api/prospects/import': {
    table: 'import_jobs',
    wanted: () => importForm(`email\n${word()}@example.com\n`, IMPORT_OPTIONS),
    other: () => importForm('email\nanother@example.com\n', IMPORT_OPTIONS),
    isItsOwnKey: true,
  },
  '/api/sequences': {
    table: 'sequences',
    wanted: () => ({ body: { name: `Welcome ${word()}` } }),
    other: () => ({ body: { name: 'Another' } }),
  },
  '/api/sequences/[id]/duplicate': {
    table: 'sequences',
    wanted: () => ({ params: { id: sequenceId } }),
    other: () => ({ params: { id: otherSequenceId } }),
  },
  '/api/suppressions': {
    table: 'suppressions',
    wanted: () => ({ body: { value: `${word()}.example` } }),
    other: () => ({ body: { value: 'another.example' } }),
  },
  '/api/webhooks': {
    table: 'webhook_endpoints',
    wanted: () => ({ body: { url: `http://127.0.0.1:9/${word()}`, events: ['email.sent'] } }),
    other: () => ({ body: { url: 'http://127.0.0.1:9/another', events: ['email.sent'] } }),
    isSecret: true,
  },
  '/api/workspaces': {
    table: 'workspaces',
    wanted: () => ({ body: { name: `Place ${word()}` } }),
    other: () => ({ body: { name: 'Another' } }),
  },
}
const IMPORT_OPTIONS = { columns: [{ to: 'email' }], onKnown: 'leave' }
const SMTP = { host: '127.0.0.1', port: 9, security: 'NONE', username: '' }

test('every operation that makes something is in this test', () => {
  const operations = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
  const making = operations.filter(({ makes }) => makes !== undefined)
  expect(making.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    Object.keys(MAKING)
      .map((path) => `POST ${path}`)
      .sort(),
  )
})

describe.each(Object.entries(MAKING))('POST %s', (path, { table, wanted, other, isSecret, isItsOwnKey }) => {
  if (isSecret)
    test('makes one thing under one key, and keeps nothing of the secret that it tells', async () => {
      const before = (await count(table)) ?? 0
      const [key, input] = [newKey(), wanted()]
      const first = await post(path, key, input)
      const again = await post(path, key, input)
      expect([first.status, again.status]).toEqual([201, 409])
      expect(again.json).toMatchObject({ error: { code: 'answer-not-kept' } })
      expect(await count(table)).toBe(before + 1)
      const { rowCount } = await app.db.pool.query('SELECT FROM kept_answers WHERE body ~ $1', ['sendonce_|whsec_'])
      expect(rowCount).toBe(0)
    })
  else
    test('makes one thing under one key, and answers the same again', async () => {
      const before = (await count(table)) ?? 0
      const [key, input] = [newKey(), wanted()]
      const first = await post(path, key, input)
      const again = await post(path, key, input)
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.json).toEqual(first.json)
      for (const name of ['location', 'etag'])
        expect(again.response.headers.get(name)).toBe(first.response.headers.get(name))
      expect(again.response.headers.get('idempotency-replayed')).toBe('true')
      expect(await count(table)).toBe(before + 1)
    })

  test('refuses another request under the same key', async () => {
    const key = newKey()
    await post(path, key, wanted())
    const { status, json } = await post(path, key, other())
    expect([status, json]).toMatchObject([409, { error: { code: 'key-reused' } }])
  })

  // An email's key is on the email itself: its answer comes after it was handed over, and can be made again.
  if (!isItsOwnKey)
    test('makes nothing where its answer cannot be kept: both are in one transaction', async () => {
      const before = await count(table)
      await app.db.pool.query(`CREATE FUNCTION refuse_keeping() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the disk of a test is full'; END $$;
      CREATE TRIGGER refuse_keeping BEFORE UPDATE ON kept_answers FOR EACH ROW EXECUTE FUNCTION refuse_keeping()`)
      const answer = await post(path, newKey(), wanted())
      await app.db.pool.query('DROP TRIGGER refuse_keeping ON kept_answers; DROP FUNCTION refuse_keeping()')
      expect([answer.status, await count(table)]).toEqual([500, before])
    })
})

describe('a key', () => {
  test('is its caller’s own, in each workspace and for each operation', async () => {
    const key = newKey()
    const name = `Mine ${word()}`
    await postList(name, key)
    const member = await join(app, owner, `${word()}@example.com`, 'member')
    expect((await postList(`Theirs ${word()}`, key, member)).status).toBe(201)
    expect((await post('/api/sequences', key, { body: { name } })).status).toBe(201)
    const elsewhere = await owner.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
    const there = await owner.call('POST', '/api/lists', {
      body: { name },
      headers: { 'idempotency-key': key, 'x-workspace-id': elsewhere.id },
    })
    expect(there.status).toBe(201)
    expect(there.response.headers.get('idempotency-replayed')).toBeNull()
  })

  test('in flight answers 409 with a hint, and then what came of it', async () => {
    const [key, name] = [newKey(), `Slow ${word()}`]
    const other = createPool(app.db.url, 2)
    const held = await heldOpen(other, (tx) => tx.query('LOCK TABLE prospect_lists IN SHARE ROW EXCLUSIVE MODE'))
    const first = postList(name, key)
    await claimed(1)
    const second = await postList(name, key)
    expect([second.status, second.json]).toMatchObject([
      409,
      { error: { code: 'in-flight', details: { retryAfterSeconds: 2, freeAfterSeconds: expect.any(Number) } } },
    ])
    expect(second.response.headers.get('retry-after')).toBe('2')
    await held.commit()
    await other.end()
    const answer = await first
    expect((await postList(name, key)).json).toEqual(answer.json)
    expect(answer.status).toBe(201)
  })

  test('pressed from eight sides at once makes one thing', async () => {
    const [key, name] = [newKey(), `Eight ${word()}`]
    const answers = await Promise.all(Array.from({ length: 8 }, () => postList(name, key)))
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    const made = answers.flatMap(({ json }) => (json?.success ? [(json.data as { id: string }).id] : []))
    expect(new Set(made).size).toBe(1)
    const codes = answers.flatMap(({ json }) => (json?.success === false ? [json.error.code] : []))
    expect(codes.filter((code) => code !== 'in-flight')).toEqual([])
  })

  test('is free again where nothing was done', async () => {
    const [key, name] = [newKey(), `Taken ${word()}`]
    const { id } = await owner.ask<{ id: string }>('POST', '/api/lists', { body: { name } })
    expect((await postList(name, key)).json).toMatchObject({ error: { code: 'name-taken' } })
    await owner.ask('DELETE', '/api/lists/[id]', { params: { id } })
    expect((await postList(name, key)).status).toBe(201)
  })

  test('that was freed between two looks at it is taken, and not told to be one too many', async () => {
    const by = { workspaceId, callerId: personId, operation: 'POST /api/lists', key: newKey() }
    const [first, fingerprint] = [keyStoreOf(app.db.pool, by), Buffer.alloc(32, 1)]
    await first.claim(fingerprint)
    const pool = interleaved(app.db.pool, 'FROM kept_answers WHERE id', () => first.release())
    expect(await keyStoreOf(pool, by).claim(fingerprint)).toBeUndefined()
    await expect(keyStoreOf(app.db.pool, by).claim(fingerprint)).rejects.toMatchObject({ code: 'in-flight' })
  })

  test('is free again where the database went away under its request, which is told so', async () => {
    const [key, name] = [newKey(), `Restarted ${word()}`]
    const other = createPool(app.db.url, 2)
    const held = await heldOpen(other, (tx) => tx.query('LOCK TABLE prospect_lists IN SHARE ROW EXCLUSIVE MODE'))
    const asked = postList(name, key)
    await until('it waits for the lock', async () => (await endWaiting(other, false)) > 0)
    await endWaiting(other, true)
    const { status, json, response } = await asked
    await held.commit()
    await other.end()
    expect({ status, json }).toMatchObject({
      ...{ status: 503, json: { error: { code: 'database-away', message: expect.stringMatching(/few seconds/) } } },
    })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await postList(name, key)).status).toBe(201)
  })

  test('is kept for a day and forgotten by the tick', async () => {
    const [key, body] = [newKey(), { name: `Daily ${word()}`, sequenceId }]
    const first = await post('/api/campaigns', key, { body })
    await app.db.travel(`${KEPT_HOURS} hours`)
    const next = await post('/api/campaigns', key, { body })
    expect([next.status, next.response.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect(next.json).not.toEqual(first.json)
    await app.db.travel(`${KEPT_HOURS} hours`)
    await runTick(app.db.pool, 'test', silent)
    expect(await count('kept_answers')).toBe(0)
  })

  test.each([' ', 'two words', '\u00fc', 'x'.repeat(256)])('that is none is refused: %j', async (key) => {
    const answer = await postList(`Odd ${word()}`, key)
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code: 'malformed-key' } }])
  })

  test('beyond ten thousand in a day is refused, and those that are there still answer', async () => {
    const [key, name] = [newKey(), `Early ${word()}`]
    const first = await postList(name, key)
    await app.db.pool.query(
      `INSERT INTO kept_answers (id, workspace_id, person_id, fingerprint, claimed_until, status)
       SELECT sha256(n::text::bytea), $1, $2, '', app_now(), 200 FROM generate_series(1, 10000) n`,
      [workspaceId, personId],
    )
    // What was counted before stands for some more.
    for (let tries = 0; (await postList(`Late ${word()}`, newKey())).status === 201; tries += 1)
      expect(tries).toBeLessThan(KEPT_FOR_PEOPLE.keys / 10)
    expect((await postList(`Late ${word()}`, newKey())).json).toMatchObject({ error: { code: 'too-many-keys' } })
    expect((await postList(name, key)).json).toEqual(first.json)
    await app.db.pool.query(`DELETE FROM kept_answers WHERE fingerprint = ''`)
  })
})

test('what a caller has used is counted for many claims at once, and never beyond what is left', async () => {
  const { sql, asked } = watched(app.db.pool)
  const callerId = crypto.randomUUID()
  const claim = (most: KeptMost) =>
    keyStoreOf(sql, { workspaceId, callerId, operation: 'POST /api/lists', key: newKey() }, most).claim(
      Buffer.alloc(32),
    )
  const counts = () => asked.filter(({ text }) => text.includes('sum(bytes)')).length
  await Promise.all(Array.from({ length: 200 }, () => claim(KEPT_FOR_PROGRAMS)))
  expect(counts()).toBeLessThanOrEqual(3)
  const few = { keys: 230, bytes: KEPT_FOR_PROGRAMS.bytes }
  const taken = await Promise.allSettled(Array.from({ length: 200 }, () => claim(few)))
  const refused = taken.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  expect(new Set(refused)).toEqual(new Set(['too-many-keys']))
  const { rowCount } = await app.db.pool.query('DELETE FROM kept_answers WHERE person_id = $1', [callerId])
  expect(rowCount).toBe(400 - refused.length)
  expect(rowCount).toBeLessThanOrEqual(230 + KEPT_FOR_PROGRAMS.bytes / ANSWER_BYTES_MAX / 10)
})

describe('a process that dies', () => {
  async function killedAt(stage: string, key: string, name: string): Promise<void> {
    const file = joinPath(projectRoot, 'src/__tests__/support/server/keyed-process.ts')
    const child = fork(file, [app.db.url, workspaceId, personId, key, name, stage], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ended = once(child, 'exit')
    const [said] = await Promise.race([once(child, 'message'), ended])
    expect(said).toBe(stage)
    child.kill('SIGKILL')
    await ended
  }
  const listsCalled = async (name: string) =>
    (await app.db.pool.query('SELECT FROM prospect_lists WHERE name = $1', [name])).rowCount

  test.each(['claimed', 'made'])('when it has %s has made nothing, and the next makes it once', async (stage) => {
    const [key, name] = [newKey(), `Killed ${word()}`]
    await killedAt(stage, key, name)
    expect(await listsCalled(name)).toBe(0)
    expect((await postList(name, key)).json).toMatchObject({ error: { code: 'in-flight' } })
    await app.db.travel(`${CLAIM_SECONDS + 1} seconds`)
    expect((await postList(name, key)).status).toBe(201)
    expect(await listsCalled(name)).toBe(1)
  })

  test('before it has answered has made it, and the next is given its answer', async () => {
    const [key, name] = [newKey(), `Killed ${word()}`]
    await killedAt('committed', key, name)
    const answer = await postList(name, key)
    expect([answer.status, answer.json]).toMatchObject([201, { data: { name } }])
    expect(answer.response.headers.get('location')).toMatch(/^\/api\/lists\//)
    expect(await listsCalled(name)).toBe(1)
  })

  test('or stands still until its key is taken over commits nothing when it wakes', async () => {
    const [key, name] = [newKey(), `Stalled ${word()}`]
    const other = createPool(app.db.url, 2)
    const held = await heldOpen(other, (tx) => tx.query('LOCK TABLE prospect_lists IN SHARE ROW EXCLUSIVE MODE'))
    const stalled = postList(name, key)
    await claimed(1)
    await app.db.travel(`${CLAIM_SECONDS + 1} seconds`)
    const second = postList(name, key)
    await claimed(2)
    await held.commit()
    await other.end()
    const answers = await Promise.all([stalled, second])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(await listsCalled(name)).toBe(1)
  })
})

describe('what does more than make', () => {
  test('an enrolment and a bulk action answer the same again', async () => {
    const { id } = await owner.ask<{ id: string }>('POST', '/api/campaigns', {
      body: { name: `Keyed ${word()}`, sequenceId },
    })
    const calls: [string, CallInput][] = [
      ['/api/campaigns/[id]/prospects', { params: { id }, body: { all: true } }],
      ['/api/admin/outbox/bulk', { body: { action: 'cancel', filter: { campaignId: id } } }],
    ]
    for (const [path, input] of calls) {
      const key = newKey()
      const first = await post(path, key, input)
      const again = await post(path, key, input)
      expect([path, first.status, again.json]).toEqual([path, 200, first.json])
      expect(again.response.headers.get('idempotency-replayed')).toBe('true')
    }
  })

  test('an import is known by its file, not by how its form was cut', async () => {
    const key = newKey()
    const people = `email\n${word()}@example.com\n`
    const run = (content: string, boundary = 'one') => {
      const form = importForm(content, IMPORT_OPTIONS)
      const file = Buffer.from(
        Buffer.from(form.file).toString('latin1').replaceAll('----a-boundary', boundary),
        'latin1',
      )
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      return post('/api/prospects/import', key, { file: new Uint8Array(file), headers })
    }
    const before = (await count('import_jobs')) ?? 0
    const first = await run(people)
    const again = await run(people, 'another')
    expect([first.status, again.json]).toEqual([201, first.json])
    expect(await count('import_jobs')).toBe(before + 1)
    expect((await run(`email\n${word()}@example.com\n`)).json).toMatchObject({ error: { code: 'key-reused' } })
  })

  test('an answer that is too large to keep is not given again, nor is the thing made again', async () => {
    const key = newKey()
    const body = { name: `Long ${word()}`, steps: [{ subject: 'Hi', bodyHtml: `<p>${'x'.repeat(290_000)}</p>` }] }
    const before = (await count('sequences')) ?? 0
    expect((await post('/api/sequences', key, { body })).status).toBe(201)
    const again = await post('/api/sequences', key, { body })
    expect([again.status, again.json]).toMatchObject([409, { error: { code: 'answer-not-kept' } }])
    expect(await count('sequences')).toBe(before + 1)
  })

  test('an erased person is in no kept answer', async () => {
    const [key, body] = [newKey(), { email: `${word()}@example.com`, firstName: 'Ada' }]
    const { json } = await post('/api/prospects', key, { body })
    const id = json?.success ? (json.data as { prospect: { id: string } }).prospect.id : ''
    await owner.ask('POST', '/api/prospects/[id]/erase', { params: { id } })
    const { rows } = await app.db.pool.query('SELECT FROM kept_answers WHERE body LIKE $1', [`%${body.email}%`])
    expect(rows).toEqual([])
    expect((await post('/api/prospects', key, { body })).json).toMatchObject({ error: { code: 'answer-not-kept' } })
  })
})

/** Waits until the claims under way have been claimed so often: the last token that is in flight. */
async function claimed(token: number): Promise<void> {
  await expect
    .poll(
      async () =>
        (await app.db.pool.query('SELECT FROM kept_answers WHERE status IS NULL AND token = $1', [token])).rowCount,
    )
    .toBeGreaterThan(0)
}
