import { beforeAll, expect, test } from 'vitest'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let member: Visitor
let workspaceId = ''

type Diagnosis = {
  status: string
  findings: { code: string; sentence: string }[]
  emails: {
    id: string
    prospectId: string
    stepNumber: number
    parkedBy: string | null
    waitsForReplan: boolean
    why: { kind: string; blockers: { name: string; sentence: string }[]; firstFeasible: string | null }
  }[]
}

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  member = await join(app, owner, 'mia@example.com', 'member')
})

async function draft(prospects: number) {
  const steps = [
    { subject: 'Hello', bodyText: 'A word.' },
    { delayDays: 2, bodyText: 'To {{company}}.' },
  ]
  const sequence = await member.ask<{ id: string }>('POST', '/api/sequences', { body: { name: 'Welcome', steps } })
  const body = { name: 'Spring', sequenceId: sequence.id }
  const { id } = await member.ask<{ id: string }>('POST', '/api/campaigns', { body })
  const prospectIds = await makeProspects(app.db.pool, workspaceId, prospects)
  await app.db.pool.query(`UPDATE prospects SET company = 'Acme' WHERE id = ANY($1::uuid[])`, [prospectIds.slice(1)])
  if (prospects > 0)
    await member.ask('POST', '/api/campaigns/[id]/prospects', { params: { id }, body: { prospectIds } })
  return { params: { id }, prospectIds }
}

const diagnose = (params: { id: string }, query: Record<string, string> = {}) =>
  member.ask<Diagnosis>('GET', '/api/campaigns/[id]/diagnose', { params, query })
const codes = ({ findings }: Diagnosis) => findings.map(({ code }) => code)

test('a draft is told all that stands between it and its first email', async () => {
  const { params } = await draft(0)
  const diagnosis = await diagnose(params)
  expect(codes(diagnosis)).toEqual(['campaign-draft', 'no-tick', 'no-prospects', 'no-mailbox', 'no-postal-address'])
  expect(diagnosis.emails).toEqual([])
  for (const { sentence } of diagnosis.findings) expect(sentence).toMatch(/^[A-Z].*\.$/)
})

test('a running campaign says what holds its first emails, one email all that holds it, and another campaign’s is not found', async () => {
  await owner.ask('PATCH', '/api/workspaces/[id]', {
    params: { id: workspaceId },
    body: { postalAddress: '1 High Street\nLondon' },
  })
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at) VALUES (gen_random_uuid(), $1, 'ann@acme.test', 'SMTP', app_now())`,
    [workspaceId],
  )
  const [{ params }, other] = [await draft(4), await draft(2)]
  for (const { params: one } of [{ params }, other])
    await member.ask('POST', '/api/campaigns/[id]/launch', { params: one })
  const diagnosis = await diagnose(params, { limit: '10' })
  expect(diagnosis.status).toBe('RUNNING')
  expect(codes(diagnosis)).toEqual(['no-tick', 'blocked'])
  expect(diagnosis.emails.map(({ stepNumber }) => stepNumber)).toEqual([1, 1, 1, 2, 2, 2])
  expect(diagnosis.emails.at(-1)?.why.blockers.map(({ name }) => name)).toContain('previous-step-sent')

  const [first] = diagnosis.emails
  const emailId = first?.id ?? ''
  await member.ask('PATCH', '/api/prospects/[id]', { params: { id: first?.prospectId ?? '' }, body: { paused: true } })
  await member.ask('POST', '/api/campaigns/[id]/pause', { params })
  await app.db.pool.query(
    `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'the password was changed' WHERE workspace_id = $1`,
    [workspaceId],
  )
  const paused = await diagnose(params, { emailId })
  expect(codes(paused)).toEqual(['campaign-paused', 'no-tick', 'no-mailbox', 'blocked'])
  expect(paused.emails).toHaveLength(1)
  expect(paused.emails[0]?.why).toMatchObject({ kind: 'waiting', firstFeasible: null })
  expect(paused.emails[0]?.why.blockers.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['campaign-running', 'prospect-active', 'mailbox-connected']),
  )

  const theirs = (await diagnose(other.params)).emails[0]?.id ?? ''
  expect(
    (await member.call('GET', '/api/campaigns/[id]/diagnose', { params, query: { emailId: theirs } })).status,
  ).toBe(404)
  await member.ask('POST', '/api/campaigns/[id]/stop', { params })
  expect(await diagnose(params, { emailId })).toMatchObject({
    findings: [{ code: 'campaign-stopped' }],
    emails: [{ why: { kind: 'not-waiting', status: 'CANCELLED' } }],
  })
})

test('a field that a text needs by now and the prospect lacks is named', async () => {
  await app.db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED' WHERE workspace_id = $1`, [workspaceId])
  const { params, prospectIds } = await draft(2)
  await member.ask('POST', '/api/campaigns/[id]/launch', { params })
  await app.db.pool.query(`UPDATE prospects SET company = NULL WHERE id = ANY($1::uuid[])`, [prospectIds])
  const second = (await diagnose(params, { limit: '10' })).emails.find(({ stepNumber }) => stepNumber === 2)
  expect(second?.why.blockers.find(({ name }) => name === 'merge-fields-complete')?.sentence).toMatch(/company/)
})
