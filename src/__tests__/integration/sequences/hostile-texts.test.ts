import { beforeAll, expect, test } from 'vitest'
import { setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'
import { HOSTILE_TEXTS } from '#tests/support/texts/hostile-texts.ts'

const app = testApp()
let owner: Visitor

beforeAll(async () => {
  owner = await setUp()
})

type Sequence = {
  id: string
  problems: { stepNumber: number; text: string; line: number; column: number; sentence: string }[]
}

const create = (steps: object[]) => owner.ask<Sequence>('POST', '/api/sequences', { body: { name: 'Hostile', steps } })
const bytesOf = (answer: unknown) => JSON.stringify(answer).length

test('a sequence of hostile texts is saved, read and told of in at most fifty problems', async () => {
  const steps = Object.values(HOSTILE_TEXTS).map((bodyHtml) => ({ subject: 'x', bodyHtml: bodyHtml.slice(0, 90_000) }))
  const saved = await create(steps)
  expect(saved.problems).toHaveLength(50)
  const read = await owner.ask<Sequence>('GET', '/api/sequences/[id]', { params: { id: saved.id } })
  expect(read.problems).toEqual(saved.problems)
  expect(bytesOf(read.problems)).toBeLessThan(50 * 1_000)
})

test('what was stored before there were limits is shown, and costs no more than any other text', async () => {
  const { id } = await create([{ subject: 'x', bodyText: 'x' }])
  await app.db.pool.query(`UPDATE sequence_steps SET body_html = $2, body_text = E'a\\x0bb' WHERE sequence_id = $1`, [
    id,
    '<b>'.repeat(200_000),
  ])
  const read = await owner.ask<Sequence>('GET', '/api/sequences/[id]', { params: { id } })
  expect(read.problems).toEqual([
    expect.objectContaining({
      stepNumber: 1,
      text: 'bodyHtml',
      sentence: expect.stringContaining('More than 100 tags'),
    }),
  ])
})

test.each([
  ['bodyText', 'one\ntwo \u000b three', 'In line 2, column 5 stands a control character (U+000B)'],
  ['bodyHtml', '<p>\u009f</p>', 'In line 1, column 4 stands a control character (U+009F)'],
  ['subject', 'a\tb\u007f', 'In line 1, column 4 stands a control character (U+007F)'],
  ['bodyText', 'one\u2028two', 'In line 1, column 4 stands a control character (U+2028)'],
  ['subject', 'Your \u202egnp.exe', 'In line 1, column 6 stands a control character (U+202E)'],
])(
  'a control character in %s is refused with its place, when it is saved and when it is looked at',
  async (name, text, sentence) => {
    const step = { subject: 'x', bodyText: 'x', [name]: text }
    const saving = await owner.call('POST', '/api/sequences', { body: { name: 'Controls', steps: [step] } })
    expect([saving.status, JSON.stringify(saving.json)]).toEqual([400, expect.stringContaining(sentence)])
    const { id } = await create([{ subject: 'x', bodyText: 'x' }])
    const prospect = await owner.ask<{ id: string }>('POST', '/api/prospects', {
      body: { email: `${name}.${text.length}@example.com` },
    })
    const looking = await owner.call('POST', '/api/sequences/[id]/preview', {
      params: { id },
      body: { stepNumber: 1, prospectId: prospect.id, texts: { [name]: text } },
    })
    expect([looking.status, JSON.stringify(looking.json)]).toEqual([400, expect.stringContaining(sentence)])
  },
)

test('a script, a link that runs and a field in a host are problems of a draft, and keep it from being launched', async () => {
  const bodyHtml = [
    '<script>1</script>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://{{company}}.example.com/">y</a>',
  ].join('\n')
  const { id, problems } = await create([{ subject: 'x', bodyHtml }])
  expect(problems.map(({ line, column, sentence }) => [line, column, sentence.split(/[;:,.]/)[0]])).toEqual([
    [1, 1, 'A script stands here'],
    [2, 1, 'The link of <a> runs something in place of leading somewhere'],
    [3, 18, 'A field cannot stand in the host of a link'],
  ])
  const campaign = await owner.ask<{ id: string }>('POST', '/api/campaigns', { body: { name: 'C', sequenceId: id } })
  const launch = await owner.call('POST', '/api/campaigns/[id]/launch', { params: { id: campaign.id }, body: {} })
  expect(launch.status).toBe(409)
  expect(JSON.stringify(launch.json)).toContain('A script stands here')
})
