import type { Guest } from '#tests/support/browser/guest.ts'
import { people } from './places.ts'
import { type App, LONG_EMAIL, LONG_NAME } from './scene.ts'

/** A list, a segment, an import with every kind of line, and a person with a history. */
export async function populatePeople(app: App, owner: Guest): Promise<void> {
  const add = async (body: object) => {
    const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', body)
    return prospect.id
  }
  const list = await owner.ask<{ id: string }>('POST', '/api/lists', { name: 'Trade fair' })
  await owner.ask('POST', '/api/lists', { name: `${LONG_NAME}, and everybody whom she knows` })
  await owner.ask('POST', '/api/segments', { name: 'Without a company', filter: { lacks: 'company' } })
  people.erased = await add({ email: 'erased@example.com' })
  await owner.ask('POST', `/api/prospects/${people.erased}/erase`)
  people.merged = await add({ email: 'ada@old.example.com' })
  people.ada = await add({
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    company: 'The Analytical Engine Company of London, formerly of Turin',
    customFields: { city: 'London', note: 'She asked for an offer in writing, twice, and for a visit in spring' },
  })
  await owner.ask('POST', `/api/prospects/${people.ada}/merge`, { loserId: people.merged })
  await owner.ask('PATCH', `/api/prospects/${people.ada}`, { email: 'ada@lovelace.example.com' })
  await owner.ask('PATCH', `/api/prospects/${people.ada}`, { paused: true })
  await add({ email: `new-${LONG_EMAIL}`, firstName: LONG_NAME, company: LONG_NAME })
  for (let n = 1; n <= 12; n += 1) await add({ email: `person${n}@example.com`, firstName: `Person ${n}` })
  const { prospects } = await owner.ask<{ prospects: { id: string }[] }>('GET', '/api/prospects?limit=5')
  await owner.ask('POST', `/api/lists/${list.id}/members`, { prospectIds: prospects.map(({ id }) => id) })
  await owner.ask('PATCH', `/api/prospects/${prospects[0]?.id}`, { paused: true })
  people.archived = await add({ email: 'archived@example.com', firstName: 'Archie', company: LONG_NAME })
  await owner.ask('DELETE', `/api/prospects/${people.archived}`)
  for (const name of ['Trade fair of last year', `${LONG_NAME}, and whom she knew`]) {
    const old = await owner.ask<{ id: string }>('POST', '/api/lists', { name })
    await owner.ask('POST', `/api/lists/${old.id}/members`, { prospectIds: prospects.map(({ id }) => id) })
    await owner.ask('DELETE', `/api/lists/${old.id}`)
  }
  people.importId = await importedBy(app, owner)
  people.unfinishedId = crypto.randomUUID()
  await app.sql(
    `INSERT INTO import_jobs (id, workspace_id, fingerprint, options, encoding, delimiter, created_by_id, file_name,
       committed_records, total_records)
     SELECT $1::uuid, workspace_id, 'unfinished', options, encoding, delimiter, created_by_id, 'a large file.csv', 41000, 100000
     FROM import_jobs WHERE id = $2`,
    [people.unfinishedId, people.importId],
  )
}

async function importedBy(app: App, owner: Guest): Promise<string> {
  const lines = ['email,city', 'new@example.com,Bonn', 'person1@example.com,Ulm', 'nobody', 'new@example.com,Bonn']
  const file = Buffer.from([...lines, 'caller@example.com,Rome', ''].join('\n'))
  const options = { columns: [{ to: 'email' }, { to: 'custom', name: 'city' }], onKnown: 'update' }
  const response = await owner.context.request.post('/api/prospects/import', {
    headers: { origin: app.url },
    multipart: { options: JSON.stringify(options), file: { name: 'people.csv', mimeType: 'text/csv', buffer: file } },
  })
  const answer: { data: { report: { id: string } } } = await response.json()
  return answer.data.report.id
}
