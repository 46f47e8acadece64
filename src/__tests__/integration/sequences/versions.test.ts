import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { join, setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let olga: Visitor
let adam: Visitor

beforeAll(async () => {
  olga = await setUp()
  adam = await join(app, olga, 'adam@example.com', 'admin')
})
beforeEach(() => app.db.pool.query('DELETE FROM rate_limits'))

type Step = { stepNumber?: number; delayDays: number; subject: string; bodyText: string; bodyHtml: string }
type Sequence = { id: string; name: string; version: number; savedByEmail: string | null; steps: Step[] }
type Version = { version: number; name: string; changes: string[]; savedByEmail: string | null }

const step = (subject: string) => ({ delayDays: 0, subject, bodyText: 'A word.', bodyHtml: '' })
const make = (name = 'Welcome') =>
  olga.ask<Sequence>('POST', '/api/sequences', { body: { name, steps: [step('Hello')] } })
const read = ({ id }: { id: string }) => olga.ask<Sequence>('GET', '/api/sequences/[id]', { params: { id } })
const edit = (
  who: Visitor,
  { id }: { id: string },
  { version, ...body }: { version?: number; [field: string]: unknown },
  query = {},
) =>
  who.call<{ sequence: Sequence }>('PATCH', '/api/sequences/[id]', {
    params: { id },
    body,
    query,
    headers: version === undefined ? {} : { 'if-match': `"${version}"` },
  })
const versionsOf = async ({ id }: { id: string }) =>
  (await olga.ask<{ versions: Version[] }>('GET', '/api/sequences/[id]/versions', { params: { id } })).versions

describe('two people edit one sequence', () => {
  test('the later one is refused, finds out who was there first, and overwrites nothing of theirs', async () => {
    const made = await make()
    expect(made).toMatchObject({ version: 1, savedByEmail: 'olga@example.com' })
    const first = await edit(adam, made, { steps: [step('Adam’s words')], version: 1 })
    expect(first.status).toBe(200)

    const late = await edit(olga, made, { steps: [step('Olga’s words')], version: 1 })
    expect(late.status).toBe(412)
    expect(late.json).toMatchObject({ success: false, error: { code: 'changed-since', details: { version: 2 } } })
    expect(await read(made)).toMatchObject({ version: 2, savedByEmail: 'adam@example.com' })
    expect((await read(made)).steps[0]?.subject).toBe('Adam’s words')
  })

  test('of any number at once from one version, one is written', async () => {
    const made = await make()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        edit(index % 2 ? adam : olga, made, { steps: [step(`Words ${index}`)], version: 1 }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)])
    expect((await read(made)).version).toBe(2)
  })

  test('who names no version writes over what is there, as programs may', async () => {
    const made = await make()
    await edit(adam, made, { name: 'Adam’s name', version: 1 })
    expect((await edit(olga, made, { name: 'Olga’s name' })).status).toBe(200)
  })

  test('a dry run and an edit that changes nothing make no version', async () => {
    const made = await make()
    await edit(olga, made, { name: 'Other' }, { dryRun: 'true' })
    await edit(olga, made, { name: made.name, steps: made.steps, version: 1 })
    expect((await read(made)).version).toBe(1)
    expect(await versionsOf(made)).toHaveLength(1)
  })
})

describe('what was saved', () => {
  test('is kept with who and what, and can be read as it was', async () => {
    const made = await make()
    await edit(adam, made, { name: 'Greeting', steps: [step('Good day'), step('')] })
    await edit(olga, made, { steps: [step('Good day')] })
    expect(await versionsOf(made)).toMatchObject([
      { version: 3, savedByEmail: 'olga@example.com', changes: ['step 2 is gone'] },
      {
        version: 2,
        name: 'Greeting',
        savedByEmail: 'adam@example.com',
        changes: ['the name', 'the subject of step 1', 'step 2 is new'],
      },
      { version: 1, name: 'Welcome', savedByEmail: 'olga@example.com', changes: [] },
    ])
    const old = await olga.ask<Sequence>('GET', '/api/sequences/[id]/versions/[version]', {
      params: { id: made.id, version: '2' },
    })
    expect(old.steps.map(({ subject }) => subject)).toEqual(['Good day', ''])
    const gone = await olga.call('GET', '/api/sequences/[id]/versions/[version]', {
      params: { id: made.id, version: '99' },
    })
    expect(gone.status).toBe(404)
  })

  test('by one person in one sitting is one version, until somebody else comes between or ten minutes are over', async () => {
    const made = await make()
    for (const subject of ['G', 'Go', 'Good']) await edit(adam, made, { steps: [step(subject)] })
    expect(await versionsOf(made)).toMatchObject([
      { version: 4, changes: ['the subject of step 1'] },
      { version: 1, changes: [] },
    ])
    await edit(olga, made, { name: 'Olga’s' })
    await edit(adam, made, { name: 'Adam’s' })
    expect((await versionsOf(made)).map(({ version }) => version)).toEqual([6, 5, 4, 1])

    await app.db.pool.query(
      `UPDATE sequence_versions SET begun_at = begun_at - interval '11 minutes' WHERE sequence_id = $1`,
      [made.id],
    )
    await edit(adam, made, { name: 'Adam’s again' })
    expect((await versionsOf(made)).map(({ version }) => version)).toEqual([7, 6, 5, 4, 1])
  })

  test('of a launched sequence, each save is a version of its own', async () => {
    const made = await make()
    await app.db.pool.query('UPDATE sequences SET launched_at = app_now() WHERE id = $1', [made.id])
    for (const subject of ['One', 'Two']) await edit(adam, made, { steps: [{ ...step(subject), stepNumber: 1 }] })
    expect((await versionsOf(made)).map(({ version }) => version)).toEqual([3, 2, 1])
  })
})

describe('styles', () => {
  test('are inlined when a step is saved, and the author’s source stays', async () => {
    const bodyHtml = '<style>p { color: #123456 }</style><p>Dear {{firstName}}</p>'
    const made = await olga.ask<Sequence>('POST', '/api/sequences', {
      body: { name: 'Styled', steps: [{ ...step('Hello'), bodyText: '', bodyHtml }] },
    })
    expect(made.steps[0]?.bodyHtml).toBe(bodyHtml)
    const inlined = async () =>
      (await app.db.pool.query('SELECT inlined_html FROM sequence_steps WHERE sequence_id = $1', [made.id])).rows[0]
        .inlined_html
    expect(await inlined()).toContain('<p style="color: #123456;">Dear {{firstName}}</p>')

    const { prospect } = await olga.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
      body: { email: 'zoe@example.test', firstName: 'Zoë' },
    })
    const shown = await olga.ask<{ html: string; raw: string }>('POST', '/api/sequences/[id]/preview', {
      params: { id: made.id },
      body: { stepNumber: 1, prospectId: prospect.id },
    })
    expect(shown.html).toContain('<p style="color: #123456;">Dear Zoë</p>')
    expect(shown.raw).toMatch(/^From: Olga Owner [\s\S]*^Subject: Hello\r\n[\s\S]*^Dear Zo=C3=AB/m)

    await edit(olga, made, { steps: [{ ...step('Hello'), bodyHtml: '<p>Plain</p>' }] })
    expect(await inlined()).toBeNull()
  })
})

describe('a preview of what is not saved yet', () => {
  test('shows a step that is not there, in the thread whose subject stands in the editor', async () => {
    const made = await make()
    const { prospect } = await olga.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
      body: { email: 'new@example.test' },
    })
    const ask = { stepNumber: 2, prospectId: prospect.id }
    const call = (body: object) =>
      olga.call<{ subject: string }>('POST', '/api/sequences/[id]/preview', { params: { id: made.id }, body })
    const { json } = await call({ ...ask, texts: { bodyText: 'Again.' }, threadSubject: 'As I type' })
    expect(json).toMatchObject({ success: true, data: { kind: 'content', subject: 'As I type' } })
    expect((await call(ask)).status).toBe(404)
  })

  test('has the person who asks as its reader where nobody is chosen, with every field filled', async () => {
    const made = await make()
    const shown = await olga.ask<{ text: string; notes: string[] }>('POST', '/api/sequences/[id]/preview', {
      params: { id: made.id },
      body: { stepNumber: 1, texts: { bodyText: 'Dear {{firstName}} {{lastName}} of {{company}} in {{custom.city}}' } },
    })
    expect(shown.text).toMatch(/^Dear Olga Owner of \[Company\] in \[city\]/)
    expect(shown.notes[0]).toMatch(/^You stand in for the recipient/)
  })

  test('is drawn on a page of our own in which nothing can run', async () => {
    const { response } = await olga.call('GET', '/api/sequences/preview-canvas')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')[0]).toBe('sandbox allow-same-origin')
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`frame-ancestors 'self'`)
    expect(policy).not.toMatch(/script-src|allow-scripts/)
  })
})
