import { beforeAll, describe, expect, test } from 'vitest'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { join, setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

/** What is archived is listed when it is asked for, refuses every verb with the way back, and comes back by it. */
const app = testApp()

let owner: Visitor
let stranger: Visitor

beforeAll(async () => {
  owner = await setUp()
  stranger = await join(app, owner, 'stranger@example.com', 'member')
  await stranger.ask('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
  await stranger.ask('DELETE', '/api/members/me')
})

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`

async function sequence(): Promise<string> {
  const body = { name: unique('Welcome'), steps: [{ subject: 'Hi', bodyText: 'A word.' }] }
  return (await owner.ask<{ id: string }>('POST', '/api/sequences', { body })).id
}
const smtp = { host: '127.0.0.1', port: 9, security: 'NONE', username: 'ann', password: 'secret' }

type Kind = {
  /** The collection, and how its rows are found in its answer. */
  path: string
  field: string
  listed: (choice: 'false' | 'true') => Record<string, string>
  make: () => Promise<string>
  /** Every verb but those that look, archive and restore. */
  verbs: [method: string, path: string, body?: (id: string) => Promise<object>][]
  action: string
}

const KINDS: Record<string, Kind> = {
  campaign: {
    path: '/api/campaigns',
    field: 'campaigns',
    listed: (archived) => ({ archived }),
    make: async () => {
      const body = { name: unique('Spring'), sequenceId: await sequence() }
      return (await owner.ask<{ id: string }>('POST', '/api/campaigns', { body })).id
    },
    verbs: [
      ['PATCH', '', async () => ({ name: 'Renamed' })],
      ['POST', '/prospects', async () => ({ all: true })],
      ['POST', '/launch'],
      ['POST', '/schedule'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/stop'],
      ['POST', '/duplicate'],
      ['POST', '/prospects/bulk', async (id) => ({ action: 'pause', enrolmentIds: [id] })],
    ],
    action: 'campaign',
  },
  list: {
    path: '/api/lists',
    field: 'lists',
    listed: (archived) => ({ archived }),
    make: async () => (await owner.ask<{ id: string }>('POST', '/api/lists', { body: { name: unique('Readers') } })).id,
    verbs: [
      ['PATCH', '', async () => ({ name: 'Renamed' })],
      ['POST', '/members', async (id) => ({ prospectIds: [id] })],
      ['DELETE', '/members', async (id) => ({ prospectIds: [id] })],
    ],
    action: 'list',
  },
  mailbox: {
    path: '/api/mailboxes',
    field: 'mailboxes',
    listed: (archived) => ({ archived }),
    make: async () => {
      const body = { address: `${unique('ann').replace(' ', '')}@acme.test`, smtp, test: false }
      return (await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', { body })).mailbox.id
    },
    verbs: [
      ['PATCH', '', async () => ({ dailyLimit: 7 })],
      ['POST', '/test'],
    ],
    action: 'mailbox',
  },
  prospect: {
    path: '/api/prospects',
    field: 'prospects',
    listed: (archived): Record<string, string> => (archived === 'true' ? { state: 'archived' } : {}),
    make: async () => {
      const body = { email: `${unique('bob').replace(' ', '')}@example.com` }
      return (await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body })).prospect.id
    },
    verbs: [['PATCH', '', async () => ({ company: 'Acme' })]],
    action: 'prospect',
  },
  segment: {
    path: '/api/segments',
    field: 'segments',
    listed: (archived) => ({ archived }),
    make: async () => {
      const body = { name: unique('New'), filter: { contacted: 'no' } }
      return (await owner.ask<{ id: string }>('POST', '/api/segments', { body })).id
    },
    verbs: [['PATCH', '', async () => ({ name: 'Renamed' })]],
    action: 'segment',
  },
  sequence: {
    path: '/api/sequences',
    field: 'sequences',
    listed: (archived) => ({ archived }),
    make: sequence,
    verbs: [['PATCH', '', async () => ({ name: 'Renamed' })]],
    action: 'sequence',
  },
  template: {
    path: '/api/templates',
    field: 'templates',
    listed: (archived) => ({ archived }),
    make: async () =>
      (await owner.ask<{ id: string }>('POST', '/api/templates', { body: { name: unique('Booked') } })).id,
    verbs: [['PATCH', '', async () => ({ name: 'Renamed' })]],
    action: 'template',
  },
}

test('everything that can be archived can be brought back, and is in this test', () => {
  const operations = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
  // A webhook is removed for good; the day in which it comes back is for a slip of the hand (webhooks/endpoints.test.ts).
  const restored = operations.filter(
    ({ path }) => path.endsWith('/restore') && !/^\/api\/(admin|webhooks)\//.test(path),
  )
  const places = Object.values(KINDS).map(({ path }) => path)
  expect(restored.map(({ path }) => path).sort()).toEqual(places.map((path) => `${path}/[id]/restore`).sort())
  const archived = operations.filter(({ method, summary }) => method === 'DELETE' && summary.startsWith('Archives'))
  expect(archived.map(({ path }) => path).sort()).toEqual(places.map((path) => `${path}/[id]`).sort())
})

describe.each(Object.entries(KINDS))('a %s', (_name, { path, field, listed, make, verbs, action }) => {
  const one = `${path}/[id]`
  const idsIn = async (choice: 'false' | 'true') => {
    const query = { ...listed(choice) }
    const page = await owner.ask<Record<string, { id: string }[]>>('GET', path, { query })
    return page[field]?.map(({ id }) => id) ?? []
  }
  const audited = async (id: string) =>
    (
      await app.db.pool.query<{ action: string }>('SELECT action FROM audit_log WHERE target_id = $1 ORDER BY id', [id])
    ).rows
      .map((row) => row.action)
      .filter((name) => /archived|restored/.test(name))

  test('leaves the list, is found in the archive, and comes back as it was', async () => {
    const params = { id: await make() }
    const before = await owner.ask('GET', one, { params })
    const first = await owner.call('DELETE', one, { params })
    const again = await owner.call('DELETE', one, { params })
    expect([first.status, again.status, again.json]).toEqual([200, 200, first.json])
    expect([await idsIn('false'), await idsIn('true')]).toEqual([
      expect.not.arrayContaining([params.id]),
      expect.arrayContaining([params.id]),
    ])
    expect((await owner.call('GET', one, { params })).status).toBe(200)

    const back = await owner.call('POST', `${one}/restore`, { params })
    const twice = await owner.call('POST', `${one}/restore`, { params })
    expect([back.status, twice.status, twice.json]).toEqual([200, 200, back.json])
    expect(await idsIn('false')).toContain(params.id)
    const after = await owner.ask('GET', one, { params })
    expect(withoutTraces(after)).toEqual(withoutTraces(before))
    expect(await audited(params.id)).toEqual([`${action}.archived`, `${action}.restored`])
  })

  test('refuses every verb while it is archived, and says how to bring it back', async () => {
    const params = { id: await make() }
    await owner.ask('DELETE', one, { params })
    for (const [method, below, body] of verbs) {
      const answer = await owner.call(method, `${one}${below}`, { params, body: (await body?.(params.id)) ?? {} })
      expect([`${method} ${below}`, answer.status, answer.json]).toMatchObject([
        `${method} ${below}`,
        409,
        {
          error: {
            code: 'archived',
            message: expect.stringMatching(/ is archived\. Restore it first\.$/),
            details: { restore: { method: 'POST', path: `${path}/${params.id}/restore` } },
          },
        },
      ])
    }
    const { json } = await owner.call(verbs[0]?.[0] ?? '', `${one}${verbs[0]?.[1]}`, {
      params,
      body: (await verbs[0]?.[2]?.(params.id)) ?? {},
    })
    const way = (json as unknown as { error: { details: { restore: { method: string; path: string } } } }).error.details
    expect((await owner.call(way.restore.method, way.restore.path.replace(params.id, '[id]'), { params })).status).toBe(
      200,
    )
  })

  test('is not another workspace’s to bring back', async () => {
    const params = { id: await make() }
    await owner.ask('DELETE', one, { params })
    expect((await stranger.call('POST', `${one}/restore`, { params })).status).toBe(404)
    expect(await idsIn('true')).toContain(params.id)
  })
})

/** A mailbox comes back stopped; everything else as it was, but for what every change leaves. */
function withoutTraces(value: unknown): unknown {
  const text = JSON.stringify(value, (name, part) =>
    ['updatedAt', 'version', 'stoppedReason', 'trouble'].includes(name) ? undefined : part,
  )
  return JSON.parse(text)
}

describe('what coming back needs', () => {
  test('a list whose name was taken since comes back under another', async () => {
    const name = unique('Taken')
    const { id } = await owner.ask<{ id: string }>('POST', '/api/lists', { body: { name } })
    await owner.ask('DELETE', '/api/lists/[id]', { params: { id } })
    await owner.ask('POST', '/api/lists', { body: { name } })
    const refused = await owner.call('POST', '/api/lists/[id]/restore', { params: { id } })
    expect([refused.status, refused.json]).toMatchObject([409, { error: { code: 'name-taken' } }])
    const body = { name: unique('Free'), archived: false }
    expect(await owner.ask('PATCH', '/api/lists/[id]', { params: { id }, body })).toMatchObject({ archivedAt: null })
  })

  test('a campaign that may still send needs its sequence first, and says so', async () => {
    const sequenceId = await sequence()
    const body = { name: unique('Spring'), sequenceId }
    const { id } = await owner.ask<{ id: string }>('POST', '/api/campaigns', { body })
    await owner.ask('DELETE', '/api/campaigns/[id]', { params: { id } })
    await owner.ask('DELETE', '/api/sequences/[id]', { params: { id: sequenceId } })
    const refused = await owner.call('POST', '/api/campaigns/[id]/restore', { params: { id } })
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { error: { code: 'archived', message: 'The sequence is archived. Restore it first.' } },
    ])
    expect((await owner.call('POST', '/api/campaigns', { body })).json).toMatchObject({ error: { code: 'archived' } })
    await owner.ask('POST', '/api/sequences/[id]/restore', { params: { id: sequenceId } })
    expect(await owner.ask('POST', '/api/campaigns/[id]/restore', { params: { id } })).toMatchObject({
      archivedAt: null,
      actions: expect.arrayContaining(['launch', 'archive']),
    })
  })

  test('a mailbox comes back with its counts and without its password, and sends nothing until it is tested', async () => {
    const make = KINDS.mailbox?.make
    const id = (await make?.()) ?? ''
    await app.db.pool.query(`INSERT INTO mailbox_days VALUES ($1, '2026-01-01', 5)`, [id])
    await owner.ask('DELETE', '/api/mailboxes/[id]', { params: { id } })
    expect(await owner.ask('POST', '/api/mailboxes/[id]/restore', { params: { id } })).toMatchObject({
      mailbox: { status: 'STOPPED', stoppedReason: expect.stringContaining('password'), smtp: { host: '127.0.0.1' } },
    })
    const { rows } = await app.db.pool.query('SELECT reserved FROM mailbox_days WHERE mailbox_id = $1', [id])
    expect(rows).toEqual([{ reserved: 5 }])
  })

  test('who is archived may still be unsubscribed and erased: a wish to be left alone is kept', async () => {
    const id = (await KINDS.prospect?.make()) ?? ''
    await owner.ask('DELETE', '/api/prospects/[id]', { params: { id } })
    const body = { unsubscribed: true }
    expect(await owner.ask('PATCH', '/api/prospects/[id]', { params: { id }, body })).toMatchObject({
      archivedAt: expect.any(String),
      unsubscribedAt: expect.any(String),
    })
    expect(await owner.ask('POST', '/api/prospects/[id]/erase', { params: { id } })).toMatchObject({ erased: 1 })
    const refused = await owner.call('POST', '/api/prospects/[id]/restore', { params: { id } })
    expect([refused.status, refused.json]).toMatchObject([409, { error: { code: 'erased' } }])
  })

  test('an archived list enrols nobody and takes in no file', async () => {
    const listId = (await KINDS.list?.make()) ?? ''
    const id = (await KINDS.campaign?.make()) ?? ''
    await owner.ask('DELETE', '/api/lists/[id]', { params: { id: listId } })
    const enrolled = await owner.call('POST', '/api/campaigns/[id]/prospects', {
      params: { id },
      body: { listIds: [listId] },
    })
    expect([enrolled.status, enrolled.json]).toMatchObject([409, { error: { code: 'archived' } }])
  })
})
