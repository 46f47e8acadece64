import { beforeAll, describe, expect, test } from 'vitest'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let member: Visitor
let workspaceId = ''

beforeAll(async () => {
  const owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await owner.ask('PATCH', '/api/workspaces/[id]', {
    params: { id: workspaceId },
    body: { postalAddress: '1 High Street\nLondon' },
  })
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at) VALUES (gen_random_uuid(), $1, 'ann@acme.test', 'SMTP', app_now())`,
    [workspaceId],
  )
  member = await join(app, owner, 'mia@example.com', 'member')
})

type Problem = { code: string; sentence: string }
type Sequence = {
  id: string
  steps: { stepNumber: number }[]
  problems: { sentence: string }[]
  fieldsNeeded: string[]
}

async function draft(steps: unknown[] = [{ subject: 'Hello', bodyText: 'A word.' }], prospects = 3) {
  const sequence = await member.ask<Sequence>('POST', '/api/sequences', { body: { name: 'Welcome', steps } })
  const { id } = await member.ask<{ id: string }>('POST', '/api/campaigns', {
    body: { name: 'Spring', sequenceId: sequence.id },
  })
  const prospectIds = await makeProspects(app.db.pool, workspaceId, prospects)
  const params = { id }
  if (prospects > 0) await member.ask('POST', '/api/campaigns/[id]/prospects', { params, body: { prospectIds } })
  return { sequence, params }
}

describe('a campaign by its API', () => {
  test('is written, foreseen, launched, paused, resumed, stopped and archived', async () => {
    const { params } = await draft([
      { subject: 'Hello', bodyText: 'A word.' },
      { delayDays: 3, bodyText: 'Another.' },
    ])
    const plan = await member.ask<{ emails: number; problems: Problem[]; page: { mailbox: string }[] }>(
      'GET',
      '/api/campaigns/[id]/plan',
      { params },
    )
    expect(plan).toMatchObject({ emails: 6, problems: [] })
    expect(plan.page[0]).toMatchObject({ mailbox: 'ann@acme.test', stepNumber: 1 })

    const pressed = { params, headers: { 'idempotency-key': 'launch-of-spring' } }
    const launched = await member.ask('POST', '/api/campaigns/[id]/launch', pressed)
    expect(launched).toMatchObject({
      campaign: { status: 'RUNNING' },
      scheduling: { scheduled: 6, skipped: 0, errors: [], remaining: 0 },
    })
    expect(await member.ask('POST', '/api/campaigns/[id]/launch', pressed)).toEqual(launched)
    const again = await member.ask('POST', '/api/campaigns/[id]/launch', { params })
    expect(again).toMatchObject({ campaign: { status: 'RUNNING' }, scheduling: { scheduled: 0, remaining: 0 } })
    const later = { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() }
    const other = await member.call('POST', '/api/campaigns/[id]/launch', { params, body: later })
    expect([other.status, other.json]).toMatchObject([409, { error: { code: 'not-possible' } }])
    expect(await member.ask('POST', '/api/campaigns/[id]/schedule', { params })).toEqual({
      scheduled: 0,
      skipped: 6,
      errors: [],
      remaining: 0,
    })
    expect(await member.ask('GET', '/api/campaigns/[id]/schedule', { params })).toMatchObject({ scheduled: 6 })
    expect(await member.ask('GET', '/api/campaigns/[id]/progress', { params })).toMatchObject({
      status: 'RUNNING',
      ledger: { balances: true, enrolments: { ACTIVE: 3 }, emails: { SCHEDULED: 6, wanted: 6 } },
    })

    type Page = { emails: { id: string; stepNumber: number }[]; nextCursor: string | null }
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: Record<string, string> = { limit: '4', ...(cursor ? { cursor } : {}) }
      const page: Page = await member.ask<Page>('GET', '/api/campaigns/[id]/scheduled-emails', { params, query })
      ids.push(...page.emails.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(new Set(ids).size).toBe(6)

    for (const [verb, status] of [
      ['pause', 'PAUSED'],
      ['resume', 'RUNNING'],
    ])
      expect(await member.ask('POST', `/api/campaigns/[id]/${verb}`, { params })).toMatchObject({ status })
    expect((await member.call('DELETE', '/api/campaigns/[id]', { params })).status).toBe(409)
    expect(await member.ask('POST', '/api/campaigns/[id]/stop', { params })).toMatchObject({ cancelled: 6 })
    expect((await member.call('POST', '/api/campaigns/[id]/schedule', { params })).status).toBe(409)
    expect(await member.ask('DELETE', '/api/campaigns/[id]', { params })).toMatchObject({ status: 'STOPPED' })
    const { campaigns } = await member.ask<{ campaigns: { id: string }[] }>('GET', '/api/campaigns')
    expect(campaigns.map(({ id }) => id)).not.toContain(params.id)

    const { rows } = await app.db.pool.query(
      'SELECT action, actor_email AS actor FROM audit_log WHERE target_id = $1 ORDER BY id',
      [params.id],
    )
    expect(rows).toEqual(
      ['people-added', 'launched', 'paused', 'resumed', 'stopped', 'archived'].map((verb) => ({
        action: `campaign.${verb}`,
        actor: 'mia@example.com',
      })),
    )
  })

  test('is duplicated as a draft of its own with nobody in it, and the log says from which', async () => {
    const { params, sequence } = await draft()
    await member.ask('PATCH', '/api/campaigns/[id]', { params, body: { name: `${'x'.repeat(92)}😀end`, batchSize: 7 } })
    await member.ask('POST', '/api/campaigns/[id]/launch', { params })
    await member.ask('POST', '/api/campaigns/[id]/stop', { params })
    const copy = await member.ask<{ id: string }>('POST', '/api/campaigns/[id]/duplicate', { params })
    expect(copy).toMatchObject({
      ...{ name: `${'x'.repeat(92)} (copy)`, status: 'DRAFT', sequenceId: sequence.id, batchSize: 7 },
      launchedAt: null,
    })
    expect(await member.ask('GET', '/api/campaigns/[id]/progress', { params: { id: copy.id } })).toMatchObject({
      ledger: { enrolments: { total: 0 } },
    })
    const { rows } = await app.db.pool.query(
      `SELECT target_id AS original, details FROM audit_log WHERE action = 'campaign.duplicated'`,
    )
    expect(rows).toEqual([{ original: params.id, details: { copy: copy.id } }])
  })

  test('is not launched while anything is wrong, and the answer says all of it', async () => {
    const { params, sequence } = await draft([{ subject: 'Hi {{nick}}' }], 0)
    expect(sequence.problems.map(({ sentence }) => sentence)).toEqual([
      'The email has no text.',
      expect.stringMatching(/no field nick/),
    ])
    const { status, json } = await member.call('POST', '/api/campaigns/[id]/launch', { params })
    expect(status).toBe(409)
    expect(json).toMatchObject({
      error: { code: 'not-ready', details: { problems: [{ code: 'no-prospects' }, { code: 'invalid-texts' }] } },
    })
  })

  test('starts later when told so, and a moment without its offset is refused', async () => {
    const { params } = await draft()
    const at = new Date(Date.now() + 3_600_000).toISOString()
    expect(await member.ask('POST', '/api/campaigns/[id]/launch', { params, body: { scheduledAt: at } })).toMatchObject(
      {
        campaign: { status: 'SCHEDULED' },
        scheduling: null,
      },
    )
    const vague = { at: '2030-01-01T09:00:00' }
    expect((await member.call('POST', '/api/campaigns/[id]/launch', { params, body: vague })).status).toBe(400)
  })

  test('a launch that names no time keeps the one that was set, however often it is asked for; only null is now', async () => {
    const { params } = await draft()
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
    const launch = async (body?: object) => {
      const { campaign } = await member.ask<{ campaign: { status: string; scheduledAt: string | null } }>(
        'POST',
        '/api/campaigns/[id]/launch',
        { params, ...(body && { body }) },
      )
      return [campaign.status, campaign.scheduledAt]
    }
    await member.ask('PATCH', '/api/campaigns/[id]', { params, body: { scheduledAt } })
    expect(await launch()).toEqual(['SCHEDULED', scheduledAt])
    expect(await launch()).toEqual(['SCHEDULED', scheduledAt])
    expect(await launch({ scheduledAt: null })).toEqual(['RUNNING', null])
    expect(await launch()).toEqual(['RUNNING', null])
  })

  test('enrols lists and filters, and says so when it is not told whom, or told twice', async () => {
    const { params } = await draft(undefined, 0)
    const list = await member.ask<{ id: string }>('POST', '/api/lists', { body: { name: 'Readers' } })
    const [one = '', two = ''] = await makeProspects(app.db.pool, workspaceId, 2)
    await member.ask('PATCH', '/api/prospects/[id]', {
      params: { id: two },
      body: { company: 'Beeblebrox & Co', firstName: ' ' },
    })
    expect(await member.ask('GET', '/api/prospects/[id]', { params: { id: two } })).toMatchObject({
      prospect: { firstName: null },
    })
    await member.ask('POST', '/api/lists/[id]/members', { params: { id: list.id }, body: { prospectIds: [one] } })
    const enrol = (body: unknown) => member.call('POST', '/api/campaigns/[id]/prospects', { params, body })
    expect((await enrol({ listIds: [list.id] })).json).toMatchObject({ data: { enrolled: 1, nextCursor: null } })
    expect((await enrol({ filter: { search: 'beeblebrox &' } })).json).toMatchObject({ data: { enrolled: 1 } })
    for (const body of [
      {},
      { all: true, listIds: [list.id] },
      { listIds: [] },
      { all: false },
      { filter: { state: 'x' } },
    ])
      expect((await enrol(body)).status).toBe(400)
    expect((await enrol({ listIds: [one] })).status).toBe(404)
  })

  test('enrols everybody at once', async () => {
    const { params } = await draft(undefined, 2)
    await makeProspects(app.db.pool, workspaceId, 4)
    const answer = await member.ask<{ enrolled: number }>('POST', '/api/campaigns/[id]/prospects', {
      params,
      body: { all: true },
    })
    expect(answer).toMatchObject({ already: 2, unknown: 0, nextCursor: null })
    expect(answer.enrolled).toBeGreaterThanOrEqual(4)
  })
})

test('a launched sequence tells what an edit would do before it is saved', async () => {
  const { params, sequence } = await draft()
  await member.ask('POST', '/api/campaigns/[id]/launch', { params })
  const steps = [...sequence.steps, { delayDays: 2, bodyText: 'One more.' }]
  const call = { params: { id: sequence.id }, body: { steps } }
  const effect = { emailsReworded: 0, emailsMoved: 0, enrolmentsExtended: 3, campaigns: 1 }
  const preview = await member.ask('PATCH', '/api/sequences/[id]', { ...call, query: { dryRun: 'true' } })
  expect(preview).toMatchObject({ effect, sequence: { steps: [{}, {}] } })
  expect((await member.ask<Sequence>('GET', '/api/sequences/[id]', call)).steps).toHaveLength(1)
  expect(await member.ask('PATCH', '/api/sequences/[id]', call)).toMatchObject({ effect })
  const { status, json } = await member.call('PATCH', '/api/sequences/[id]', { ...call, body: { steps: [] } })
  expect([status, json]).toMatchObject([409, { error: { code: 'steps-are-fixed' } }])
})
