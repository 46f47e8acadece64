import { beforeAll, describe, expect, test } from 'vitest'
import { holdSending, liftHold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

/** A hold after a restore, as the page tells and lifts it. */
const app = testApp()
let olga: Visitor
let adam: Visitor
let mia: Visitor
let workspaceId = ''

beforeAll(async () => {
  olga = await setUp()
  adam = await join(app, olga, 'adam@example.com', 'admin')
  mia = await join(app, olga, 'mia@example.com', 'member')
  workspaceId = (await whoAmI(olga)).workspace?.id ?? ''
  await runTick(app.db.pool, 'test', silent)
})

type Held = {
  isHeld: boolean
  since: string | null
  changes: { what: string; before: string | null; now: string | null }[]
  cannotLift: string | null
}
type Groups = {
  total: { emails: number }
  groups: {
    campaign: { id: string; name: string } | null
    mailbox: { id: string; address: string }
    emails: number
    doubt: string
  }[]
  nextCursor: string | null
}

const heldFor = (visitor: Visitor) => visitor.ask<Held>('GET', '/api/admin/held')
const lift = (visitor: Visitor, since: string | null) =>
  visitor.call('POST', '/api/admin/held/lift', { body: { since } })
/** What a number of the page opens, for one who is in this workspace alone. */
async function behind(query: Record<string, string>) {
  const { total, rows } = await mia.ask<{ total: number; rows: unknown[] }>('GET', '/api/overview/rows', { query })
  return { total, rows: rows.length }
}
const codeOf = (answer: Awaited<ReturnType<typeof lift>>) =>
  answer.json?.success === false ? answer.json.error.code : answer.status

describe('without a hold', () => {
  test('nothing is held, and there is nothing to lift', async () => {
    expect(await heldFor(mia)).toMatchObject({ isHeld: false, since: null, changes: [], cannotLift: null })
    expect(codeOf(await lift(olga, '2026-01-01T00:00:00Z'))).toBe('not-held')
  })
})

describe('after a restore', () => {
  test('it is told what changed, what may have been sent in this workspace alone, and who may lift it', async () => {
    const mailboxIds = Array.from({ length: 3 }, newId)
    await app.db.pool.query(
      `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at) SELECT id, $2, id || '@acme.test', 'SMTP', app_now() FROM unnest($1::uuid[]) AS id`,
      [mailboxIds, workspaceId],
    )
    await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds }, prospects: 7 })
    const foreign = await makeDueCampaign(app.db.pool, { prospects: 5 })
    await app.db.pool.query(`UPDATE server_sightings SET server = '7000000000000000001/1'`)
    // Before any tick: it is held already, and nothing has been written down that a person could look at.
    expect(await heldFor(olga)).toMatchObject({ isHeld: true, since: null })
    await app.db.travel('1 second')
    await runTick(app.db.pool, 'test', silent)

    const held = await heldFor(mia)
    expect(held.changes.map(({ what }) => what)).toEqual(['system'])
    expect(held.changes[0]?.before).toBe('7000000000000000001')
    expect(held.cannotLift).toMatch(/Only an owner can let sending go on; you are a member of Acme/)
    expect((await heldFor(adam)).cannotLift).toMatch(/you are an admin/)

    const pages: Groups[] = []
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.nextCursor ?? null)
      pages.push(
        await mia.ask<Groups>('GET', '/api/admin/held/groups', {
          query: { limit: '2', ...(cursor && { cursor }) },
        }),
      )
    expect(pages.map(({ groups }) => groups.length)).toEqual([2, 1])
    const groups = pages.flatMap((page) => page.groups)
    expect(groups.reduce((sum, { emails }) => sum + emails, 0)).toBe(7)
    expect(new Set(groups.map(({ mailbox }) => mailbox.address)).size).toBe(3)
    expect(pages[0]?.total.emails).toBe(7)
    // Each number is a door to exactly what it counts.
    for (const { campaign, mailbox, doubt, emails } of groups) {
      const group = { mailboxId: mailbox.id, doubt, ...(campaign && { campaignId: campaign.id }) }
      expect(await behind({ what: 'maybe-sent-of-group', ...group })).toEqual({ total: emails, rows: emails })
      expect(await behind({ what: 'maybe-sent-of-group', mailboxId: mailbox.id, doubt })).toEqual({ total: 0, rows: 0 })
    }
    expect(await behind({ what: 'maybe-sent' })).toEqual({ total: 7, rows: 7 })

    // Another workspace would send again as well, and its owner was not asked.
    expect((await heldFor(olga)).cannotLift).toMatch(/workspaces that you do not own/)
    expect(codeOf(await lift(olga, held.since))).toBe('cannot-lift')
    expect((await readHold(app.db.pool)).isHeld).toBe(true)
    await app.db.pool.query(
      `INSERT INTO members (id, workspace_id, user_id, role) VALUES (gen_random_uuid(), $1, $2, 'owner')`,
      [foreign.workspaceId, (await whoAmI(olga)).person.id],
    )
    expect((await heldFor(olga)).cannotLift).toBeNull()
    for (const visitor of [adam, mia]) expect((await lift(visitor, held.since)).status).toBe(403)

    // Looked at is one hold; a later one is another.
    expect(codeOf(await lift(olga, '2026-01-01T00:00:00Z'))).toBe('hold-changed')
    const provider = new TestProvider()
    await sendAll(app.db.pool, provider)
    expect(provider.handed).toHaveLength(0)
    const both = await Promise.all([lift(olga, held.since), lift(olga, held.since)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await heldFor(mia)).toMatchObject({ isHeld: false })
    await sendAll(app.db.pool, provider)
    expect(provider.handed.length).toBeGreaterThan(0)

    const { rows } = await app.db.pool.query(
      `SELECT workspace_id, actor_email, details FROM audit_log WHERE action = 'sending.hold-lifted' ORDER BY id`,
    )
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({
      workspace_id: workspaceId,
      actor_email: 'olga@example.com',
      details: { since: held.since, emailsInDoubt: 7 },
    })
    expect(rows[1]).toMatchObject({ workspace_id: foreign.workspaceId, details: { since: held.since } })
    expect(rows[1]?.details).not.toHaveProperty('emailsInDoubt')
  })

  test('a hold by hand says so, and a workspace without mailboxes has no say in it', async () => {
    await holdSending(app.db.pool)
    await makeWorkspace(app.db.pool, { mailboxes: 0 })
    expect(await heldFor(olga)).toMatchObject({ isHeld: true, reason: 'BY_PERSON', changes: [], cannotLift: null })
    const { attention } = await mia.ask<{ attention: { kind: string }[] }>('GET', '/api/overview')
    expect(attention.map(({ kind }) => kind)).toContain('sending-held')
    await liftHold(app.db.pool, 'test')
  })

  test('a cursor that is none of ours is refused in words', async () => {
    for (const cursor of ['x', `2026-13-01T00:00:00.000Z_none_${newId()}_HELD`, `${'9'.repeat(5_000)}`]) {
      const answer = await mia.call('GET', '/api/admin/held/groups', { query: { cursor } })
      expect([answer.status, JSON.stringify(answer.json)]).toEqual([400, expect.stringContaining('cursor of ours')])
    }
  })
})
