import pg from 'pg'
import type { ApiResponse } from '#lib/platform/api-response.ts'
import { newId } from '#lib/platform/id.ts'
import { linkMailedTo, PASSWORD } from '#tests/support/browser/guest.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import type { TestApp } from '#tests/support/server/app.ts'
import { HttpPerson } from '#tests/support/server/http-person.ts'
import type { Caller, Kind, Resolve } from './requests.ts'

/** Words that stand only in what belongs to one of the two workspaces, and in no request. */
const SIGNS = { ours: 'Quillfeather', theirs: 'Zanzibarth' } as const

type Side = keyof typeof SIGNS

const IDS_MAX = 12

const BRANCHING = {
  nodes: [
    { id: 'e1', type: 'email', stepNumber: 1 },
    {
      ...{ id: 'b', type: 'branch', if: { event: 'CLICKED' }, withinDays: 3 },
      ...{ yes: [{ id: 'x', type: 'end' }], no: [{ id: 'e2', type: 'email', stepNumber: 2 }] },
    },
  ],
}

type Ids = Map<Kind, string[]>

/** Two workspaces with something of everything in them, and the people who ask. */
export class FuzzPlace {
  readonly app: TestApp
  readonly #people: Record<Exclude<Caller, 'nobody'>, { person: HttpPerson; email: string }>
  readonly #ids: Record<Side, Ids> = { ours: new Map(), theirs: new Map() }
  readonly #sql: pg.Pool
  #memberships: { workspace_id: string; user_id: string; role: string }[] = []

  private constructor(app: TestApp) {
    this.app = app
    this.#sql = new pg.Pool({ connectionString: app.databaseUrl, max: 2 })
    const anybody = (email: string) => ({ person: new HttpPerson(app.url), email })
    this.#people = {
      owner: anybody('olga@example.com'),
      admin: anybody('anna@example.com'),
      member: anybody('max@example.com'),
      stranger: anybody('stella@example.com'),
    }
  }

  static async make(app: TestApp): Promise<FuzzPlace> {
    const place = new FuzzPlace(app)
    await place.#fill()
    return place
  }

  /** Which workspace a caller is in; nobody is in none, and may see neither. */
  static sideOf(caller: Caller): Side {
    return caller === 'stranger' ? 'theirs' : 'ours'
  }

  resolverFor(caller: Caller): Resolve {
    const own = FuzzPlace.sideOf(caller)
    const other = own === 'ours' ? 'theirs' : 'ours'
    return (kind, index, whose) => {
      const known = this.#ids[whose === 'own' ? own : other].get(kind) ?? []
      return known[index % Math.max(1, known.length)] ?? newId()
    }
  }

  headersOf(caller: Caller): [string, string][] {
    if (caller === 'nobody') return []
    const workspaceId = this.#ids[FuzzPlace.sideOf(caller)].get('workspaces')?.[0] ?? ''
    return [
      ['Cookie', this.#people[caller].person.cookie],
      ['X-Workspace-Id', workspaceId],
    ]
  }

  /** What a caller may never be shown. No ids: callers name them by themselves, in a segment say, which is shown again. */
  static secretsFrom(caller: Caller): string[] {
    if (caller === 'nobody') return Object.values(SIGNS)
    return [SIGNS[caller === 'stranger' ? 'ours' : 'theirs']]
  }

  /** What was made can be asked for from now on. */
  notice(caller: Caller, location: string): void {
    const [, kind, id] = /^\/api\/([a-z]+)\/([0-9a-f-]{36})$/.exec(location) ?? []
    // A workspace of the caller's own is not the one that this is about.
    if (kind && id && kind !== 'workspaces') this.#keep(FuzzPlace.sideOf(caller), kind as Kind, id)
  }

  /** Signed in, in the roles that they began with, and with no attempts counted against anybody. */
  async restore(): Promise<void> {
    await this.#sql.query('DELETE FROM rate_limits')
    for (const { workspace_id, user_id, role } of this.#memberships)
      await this.#sql.query(
        `INSERT INTO members (id, workspace_id, user_id, role) VALUES ($1, $2, $3, $4)
         ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = EXCLUDED.role`,
        [newId(), workspace_id, user_id, role],
      )
    for (const { person, email } of Object.values(this.#people))
      if ((await person.call('GET', '/api/session')).status === 401)
        await person.ask('POST', '/api/session', { email, password: PASSWORD })
  }

  async close(): Promise<void> {
    await this.#sql.end()
  }

  async #fill(): Promise<void> {
    const { owner, admin, member, stranger } = this.#people
    const signUp = { name: `Olga ${SIGNS.ours}`, email: owner.email, password: PASSWORD, workspaceName: SIGNS.ours }
    await owner.person.ask('POST', '/api/setup', signUp)
    for (const [{ person, email }, role] of [
      [admin, 'admin'],
      [member, 'member'],
      [stranger, 'member'],
    ] as const) {
      await owner.person.ask('POST', '/api/invitations', { email, role })
      const token = new URL(await linkMailedTo(this.app, email)).hash.slice('#token='.length)
      const newPerson = { name: email.split('@')[0], password: PASSWORD }
      await person.ask('POST', '/api/invitations/accept', { token, newPerson })
    }
    await stranger.person.ask('DELETE', '/api/members/me')
    const { id } = await stranger.person.ask<{ id: string }>('POST', '/api/workspaces', { name: SIGNS.theirs })
    await stranger.person.ask('PATCH', '/api/session', { workspaceId: id })
    await this.#furnish('ours', owner.person)
    await this.#furnish('theirs', stranger.person)
    this.#memberships = (await this.#sql.query('SELECT workspace_id, user_id, role::text FROM members')).rows
  }

  /** By the product's own API, so that it is as people make it: a campaign that runs, with its emails planned. */
  async #furnish(side: Side, person: HttpPerson): Promise<void> {
    const keep = (kind: Kind, id: string) => this.#keep(side, kind, id)
    const sign = SIGNS[side]
    const make = async (kind: Kind, address: string, body: unknown): Promise<string> => {
      const made = await person.ask<Record<string, unknown>>('POST', address, body)
      const { id } = (made[kind.slice(0, -1)] ?? made) as { id: string }
      keep(kind, id)
      return id
    }
    const me = await person.ask<{ person: { id: string }; workspace: { id: string } }>('GET', '/api/session')
    keep('people', me.person.id)
    keep('workspaces', me.workspace.id)
    await person.ask('PATCH', `/api/workspaces/${me.workspace.id}`, { postalAddress: `1 ${sign} Street` })
    const { members } = await person.ask<{ members: { id: string }[] }>('GET', '/api/members')
    for (const { id } of members) keep('members', id)
    for (const n of [1, 2]) await make('lists', '/api/lists', { name: `${sign} ${n}` })
    const [listId] = this.#ids[side].get('lists') ?? []
    const prospectIds: string[] = []
    for (let n = 0; n < 6; n += 1) {
      const body = { email: `${sign}${n}@example.com`, firstName: sign, customFields: { note: sign } }
      prospectIds.push(await make('prospects', '/api/prospects', body))
    }
    await person.ask('POST', `/api/lists/${listId}/members`, { prospectIds })
    await make('segments', '/api/segments', { name: sign, filter: { listId } })
    await make('templates', '/api/templates', { name: sign, subject: sign, bodyText: `A word of ${sign}.` })
    await make('suppressions', '/api/suppressions', { value: `no-${sign}@example.net` })
    await make('domains', '/api/domains', { domain: `${sign}.example` })
    const url = `http://127.0.0.1:9/${sign}`
    const webhookId = await make('webhooks', '/api/webhooks', { url, description: sign, events: ['campaign.paused'] })
    const test = await person.ask<{ id: string }>('POST', `/api/webhooks/${webhookId}/test`, {})
    keep('webhook-deliveries', test.id)
    await make('invitations', '/api/invitations', { email: `${sign}-guest@example.com`, role: 'member' })
    const smtp = { host: '127.0.0.1', port: this.app.smtpPort, security: 'NONE', username: null }
    await make('mailboxes', '/api/mailboxes', { address: `${sign}@acme.example`, smtp })
    const steps = [{ subject: `${sign} {{firstName}}`, bodyText: `A word of ${sign}.` }]
    for (const name of ['launched', 'draft'])
      await make('sequences', '/api/sequences', { name: `${sign} ${name}`, steps })
    const sequenceId = this.#ids[side].get('sequences')?.at(-1)
    for (const name of ['running', 'draft'])
      await make('campaigns', '/api/campaigns', { name: `${sign} ${name}`, sequenceId })
    const campaignId = this.#ids[side].get('campaigns')?.at(-1)
    await person.ask('POST', `/api/campaigns/${campaignId}/prospects`, { listIds: [listId] })
    await person.ask('POST', `/api/campaigns/${campaignId}/launch`, {})
    const emails = `/api/campaigns/${campaignId}/scheduled-emails`
    for (const { id } of (await person.ask<{ emails: { id: string }[] }>('GET', emails)).emails) keep('outbox', id)
    const endsAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
    await person.ask('PATCH', `/api/campaigns/${campaignId}`, { endsAt })
    for (const { id } of (await person.ask<{ actions: { id: string }[] }>('GET', '/api/admin/actions')).actions)
      keep('actions', id)
    const enrolled = `/api/campaigns/${campaignId}/prospects`
    for (const { id } of (await person.ask<{ enrolments: { id: string }[] }>('GET', enrolled)).enrolments)
      keep('enrolments', id)
    await this.#launchBranching(side, person, listId ?? '')
    if (!this.#ids[side].has('outbox')) throw new Error('the campaign was launched and nothing was planned')
    const form = importForm(`email\n${sign}-file@example.com\n`, { columns: [{ to: 'email' }], onKnown: 'leave' })
    const sent = await person.call('POST', '/api/prospects/import', { body: form.file, headers: form.headers })
    const answer = (await sent.json()) as ApiResponse<{ report: { id: string } }>
    if (!answer.success) throw new Error(`the import answered ${sent.status}`)
    keep('imports', answer.data.report.id)
  }

  /** People on their way through a sequence that branches. */
  async #launchBranching(side: Side, person: HttpPerson, listId: string): Promise<void> {
    const steps = [1, 2].map(() => ({ subject: SIGNS[side], bodyText: `A word of ${SIGNS[side]}.` }))
    const body = { name: `${SIGNS[side]} branching`, steps, graph: BRANCHING }
    const { id: sequenceId } = await person.ask<{ id: string }>('POST', '/api/sequences', body)
    const { id } = await person.ask<{ id: string }>('POST', '/api/campaigns', { name: body.name, sequenceId })
    await person.ask('POST', `/api/campaigns/${id}/prospects`, { listIds: [listId] })
    await person.ask('POST', `/api/campaigns/${id}/launch`, {})
    this.#keep(side, 'sequences', sequenceId)
    this.#keep(side, 'campaigns', id)
    const enrolled = `/api/campaigns/${id}/prospects`
    const { enrolments } = await person.ask<{ enrolments: { id: string }[] }>('GET', enrolled)
    for (const one of enrolments.slice(0, 3)) this.#keep(side, 'enrolments', one.id)
  }

  /** The newest first, and no more than requests choose among. */
  #keep(side: Side, kind: Kind, id: string): void {
    const known = this.#ids[side].get(kind) ?? []
    this.#ids[side].set(kind, [id, ...known].slice(0, IDS_MAX))
  }
}
