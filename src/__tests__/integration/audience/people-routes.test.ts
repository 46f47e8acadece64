import { beforeAll, describe, expect, test } from 'vitest'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** What the pages of people ask for, through the routes. */
const app = testApp()
let owner: Visitor
let workspaceId = ''

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})

type Added = { prospect: { id: string } }
const add = async (email: string) => (await owner.ask<Added>('POST', '/api/prospects', { body: { email } })).prospect.id
const textOf = async (answer: { response: Response }) => answer.response.text()

describe('suppressing many', () => {
  const suppress = (values: string[]) =>
    owner.ask('POST', '/api/suppressions/bulk', { body: { values, reason: 'list' } })

  test('takes what can be read, says what cannot and where, and adds nothing twice', async () => {
    expect(await suppress(['a@junk.example', 'Junk2.example', 'no address', ' A@JUNK.example '])).toEqual({
      added: 2,
      known: 1,
      cancelledEmails: 0,
      refused: [{ index: 2, reason: expect.stringContaining('domain') }],
    })
    expect(await suppress(['a@junk.example', '@junk2.example'])).toMatchObject({ added: 0, known: 2 })
  })

  test('cancels what waits for each of them, by address and by domain', async () => {
    const { mailbox } = await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
      body: {
        address: 'a@acme.test',
        smtp: { host: '127.0.0.1', port: 9, security: 'NONE', username: '' },
        test: false,
      },
    })
    const due = await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [mailbox.id] }, prospects: 3 })
    const { rows } = await app.db.pool.query<{ email: string }>('SELECT email FROM prospects WHERE id = $1', [
      due.emails[0]?.prospectId,
    ])
    expect(await suppress([rows[0]?.email ?? ''])).toMatchObject({ added: 1, cancelledEmails: 1 })
    expect(await suppress(['example.test'])).toMatchObject({ added: 1, cancelledEmails: 2 })
  })
})

test('a person’s history holds the emails of all who were merged into them, and the former addresses', async () => {
  const { rows } = await app.db.pool.query<{ id: string }>(
    'SELECT DISTINCT prospect_id AS id FROM scheduled_emails WHERE workspace_id = $1 LIMIT 2',
    [workspaceId],
  )
  const [winner = '', loser = ''] = rows.map(({ id }) => id)
  await owner.ask('POST', '/api/prospects/[id]/merge', { params: { id: winner }, body: { loserId: loser } })
  await owner.ask('PATCH', '/api/prospects/[id]', { params: { id: winner }, body: { email: 'moved@example.com' } })
  const history = await owner.ask<{ emails: unknown[]; enrolments: unknown[]; isCut: boolean }>(
    'GET',
    '/api/prospects/[id]/history',
    { params: { id: winner } },
  )
  expect(history).toMatchObject({ isCut: false })
  expect(history.emails).toHaveLength(2)
  expect(history.enrolments).toHaveLength(2)
  expect(history.emails[0]).toMatchObject({
    status: 'CANCELLED',
    sentence: expect.stringMatching(/\.$/),
    stepNumber: 1,
  })
  const person = await owner.ask('GET', '/api/prospects/[id]', { params: { id: winner } })
  expect(person).toMatchObject({
    suppressedBy: null,
    formerAddresses: [{ email: expect.stringContaining('@example.test') }],
  })
})

test('a list of people says of each whether they are suppressed', async () => {
  await add('free@example.com')
  const id = await add('caught@example.com')
  await owner.ask('POST', '/api/suppressions', { body: { value: 'caught@example.com', reason: null } })
  const { prospects } = await owner.ask<{ prospects: { id: string; suppressedBy: string | null }[] }>(
    'GET',
    '/api/prospects',
    { query: { search: '@example.com' } },
  )
  expect(prospects.filter(({ suppressedBy }) => suppressedBy === 'ADDRESS').map((one) => one.id)).toEqual([id])
})

test('rejected lines come back with their reasons, out of the same file, however often they were imported', async () => {
  const file = 'email;name\nann@example.com;Ann\nnobody;"Bob; the second"\n@;=1+1\n'
  const options = { columns: [{ to: 'email' }, { to: 'firstName' }], onKnown: 'leave', delimiter: ';' }
  const { report } = await owner.ask<{ report: { id: string; fileName: string } }>('POST', '/api/prospects/import', {
    ...importForm(file, options),
  })
  expect(report.fileName).toBe('people.csv')
  const { imports } = await owner.ask<{ imports: { id: string }[] }>('GET', '/api/prospects/import')
  expect(imports[0]?.id).toBe(report.id)
  const answer = await owner.call('POST', '/api/prospects/import/[id]/rejected', {
    params: { id: report.id },
    ...importForm(file),
  })
  const lines = (await textOf(answer)).split('\r\n')
  expect(lines[0]).toBe('Sendonce: line,Sendonce: reason,email,name')
  expect(lines[1]).toMatch(/^3,.+,nobody,Bob; the second$/)
  expect(lines[2]).toMatch(/^4,.+,"'@","'=1\+1"$/)
  const { preview } = await owner.ask<{ preview: { suggestedColumns: { to: string }[] } }>(
    'POST',
    '/api/prospects/import',
    { query: { preview: 'true' }, ...importForm(lines.join('\r\n')) },
  )
  expect(preview.suggestedColumns.map(({ to }) => to)).toEqual(['ignore', 'ignore', 'email', 'custom'])
})

test('a campaign enrols a segment as it is then', async () => {
  const segment = await owner.ask<{ id: string }>('POST', '/api/segments', {
    body: { name: 'Free', filter: { search: 'free' } },
  })
  await add('free2@example.com')
  const sequence = await owner.ask<{ id: string }>('POST', '/api/sequences', {
    body: { name: 'Welcome', steps: [{ subject: 'Hello', bodyText: 'A word.' }] },
  })
  const campaign = await owner.ask<{ id: string }>('POST', '/api/campaigns', {
    body: { name: 'Spring', sequenceId: sequence.id },
  })
  const enrolled = await owner.ask('POST', '/api/campaigns/[id]/prospects', {
    params: { id: campaign.id },
    body: { segmentId: segment.id },
  })
  expect(enrolled).toMatchObject({ enrolled: 2, nextCursor: null })
})
