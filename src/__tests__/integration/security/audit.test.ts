import { expect, test } from 'vitest'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { join, memberId, setUp, testApp, Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor

type Page = {
  entries: {
    id: number
    at: string
    action: string
    actorEmail: string
    targetName: string
    details: unknown
    address: string | null
  }[]
  nextCursor: string | null
}
const list = (query: Record<string, string> = {}) => owner.ask<Page>('GET', '/api/audit', { query })

test('each action is kept with who, what, to whom, and from where', async () => {
  owner = await setUp()
  await join(app, owner, 'max@example.com', 'member')
  const id = await memberId(owner, 'max@example.com')
  await owner.ask('PATCH', '/api/members/[id]', {
    params: { id },
    body: { role: 'admin' },
    headers: { 'x-forwarded-for': '203.0.113.7' },
  })
  await owner.ask('DELETE', '/api/members/[id]', { params: { id } })
  const { entries } = await list()
  expect(entries.map((entry) => [entry.action, entry.actorEmail, entry.targetName])).toEqual([
    ['member.removed', 'olga@example.com', 'max@example.com'],
    ['member.role-changed', 'olga@example.com', 'max@example.com'],
    ['person.signed-in', 'max@example.com', 'max@example.com'],
    ['member.joined', 'max@example.com', 'max@example.com'],
    ['invitation.created', 'olga@example.com', 'max@example.com'],
    ['person.signed-in', 'olga@example.com', 'olga@example.com'],
    ['workspace.created', 'olga@example.com', 'Acme'],
  ])
  expect(entries[1]).toMatchObject({ details: { before: 'member', after: 'admin' }, address: '203.0.113.7' })
})

test('the database refuses to change, delete or truncate it', async () => {
  for (const statement of ['UPDATE audit_log SET action = $$x$$', 'DELETE FROM audit_log', 'TRUNCATE audit_log']) {
    await expect(app.db.pool.query(statement)).rejects.toThrow('append-only')
  }
})

test('an action that is rolled back leaves no entry', async () => {
  const { inTransaction } = await import('#lib/platform/database.ts')
  const before = (await list()).entries.length
  const me = await whoAmI(owner)
  const work = inTransaction(app.db.pool, async (tx) => {
    await recordAudit(tx, me.workspace?.id ?? '', {
      action: 'workspace.renamed',
      actor: { id: me.person.id, email: me.person.email },
      target: { kind: 'workspace', id: null, name: 'x' },
    })
    throw new Error('afterwards something went wrong')
  })
  await expect(work).rejects.toThrow('afterwards')
  expect((await list()).entries).toHaveLength(before)
})

test('a failed sign-in is seen in the workspaces of the person, one of nobody nowhere', async () => {
  for (const email of ['olga@example.com', 'nobody@example.com']) {
    await new Visitor().call('POST', '/api/session', { body: { email, password: 'wrong password' } })
  }
  const { entries } = await list({ action: 'person.sign-in-failed' })
  expect(entries.map((entry) => entry.actorEmail)).toEqual(['olga@example.com'])
})

test('pages follow one another without gap or double, whatever is written in between', async () => {
  const all = (await list({ limit: '200' })).entries.map((entry) => entry.id)
  const seen: number[] = []
  let cursor: string | null = null
  do {
    const page: Page = await list({ limit: '3', ...(cursor ? { cursor } : {}) })
    seen.push(...page.entries.map((entry) => entry.id))
    cursor = page.nextCursor
    await new Visitor().call('POST', '/api/session', {
      body: { email: 'olga@example.com', password: 'wrong password' },
    })
  } while (cursor)
  expect(seen).toEqual(all)
})

test('filters by actor, action and time', async () => {
  const me = await whoAmI(owner)
  const mine = (await list({ actorId: me.person.id })).entries
  expect(new Set(mine.map((entry) => entry.actorEmail))).toEqual(new Set(['olga@example.com']))
  const joined = (await list({ action: 'member.joined' })).entries
  expect(joined).toHaveLength(1)
  const at = joined[0]?.at ?? ''
  expect((await list({ action: 'member.joined', from: at })).entries).toHaveLength(1)
  expect((await list({ action: 'member.joined', to: at })).entries).toHaveLength(0)
  expect((await owner.call('GET', '/api/audit', { query: { action: 'made.up' } })).status).toBe(400)
})

test('the export holds every line, runs no formula, and is itself in the log', async () => {
  await owner.ask('PATCH', '/api/workspaces/[id]', {
    params: { id: (await whoAmI(owner)).workspace?.id ?? '' },
    body: { name: '=HYPERLINK("http://evil.example")' },
  })
  await app.db.pool.query(
    `INSERT INTO audit_log (workspace_id, action, actor_email, target_kind, target_name)
     SELECT id, 'workspace.renamed', 'x@example.com', 'workspace', 'bulk' FROM workspaces, generate_series(1, 2500)
     WHERE id IN (SELECT workspace_id FROM members)`,
  )
  const { status, response } = await owner.call('POST', '/api/audit/export')
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
  const lines = text.trimEnd().split('\r\n')
  const { rows } = await app.db.pool.query<{ entries: number }>('SELECT count(*) AS entries FROM audit_log')
  expect(status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/csv')
  expect(lines).toHaveLength(1 + (rows[0]?.entries ?? 0))
  expect(lines[0]).toBe('\uFEFFAt,Actor,Action,Target kind,Target,Details,Address')
  expect(lines[1]).toContain('audit.exported')
  expect(lines.find((line) => line.includes('HYPERLINK'))).toContain(`"'=HYPERLINK(""http`)
})
