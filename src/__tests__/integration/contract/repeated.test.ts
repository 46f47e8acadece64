import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { holdSending } from '#lib/email-scheduler/send/hold.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import {
  type CallInput,
  join,
  PASSWORD,
  setUp,
  signIn,
  testApp,
  tokenMailedTo,
  type Visitor,
  whoAmI,
} from '#tests/support/server/in-process.ts'

/**
 * A client whose answer was lost sends the same again. Every operation of the contract that changes something is called
 * twice: the second answers as the first did, or with the status that stands here with its reason. (What makes something
 * is told apart by its Idempotency-Key, in idempotency-key.test.ts.)
 */
const app = testApp()

let owner: Visitor
let workspaceId = ''
let mailboxId = ''
let sequenceId = ''

type Repeated = {
  input?: () => Promise<CallInput> | CallInput
  /** Of the first call; else it succeeds. */
  first?: number
  /** Of the second call; else that of the first. */
  again?: number
  /** Who calls, where it is not the owner. */
  who?: () => Promise<Visitor>
}

const word = () => crypto.randomUUID().slice(0, 8)
const one = (id: string, more: CallInput = {}): CallInput => ({ params: { id }, ...more })
const made = async (path: string, body: object) => (await owner.ask<{ id: string }>('POST', path, { body })).id
const list = () => made('/api/lists', { name: word() })
const segment = () => made('/api/segments', { name: word(), filter: { contacted: 'no' } })
const queueFilter = () => made('/api/admin/outbox/filters', { name: word(), filter: { kind: 'CAMPAIGN' } })
const template = () => made('/api/templates', { name: word(), subject: 'Hi', bodyText: 'A word.' })
const sequence = () => made('/api/sequences', { name: word(), steps: [{ subject: 'Hi', bodyText: 'A word.' }] })
const campaign = () => made('/api/campaigns', { name: word(), sequenceId })
const prospect = async () => {
  const body = { email: `${word()}@example.com` }
  return (await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body })).prospect.id
}
const SMTP = { host: '127.0.0.1', port: 9, security: 'NONE', username: '' }
const mailbox = async () => {
  const body = { address: `${word()}@acme.test`, smtp: SMTP, test: false }
  return (await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', { body })).mailbox.id
}
const invitation = async () => {
  const body = { email: `${word()}@example.com`, role: 'member' }
  return (await owner.ask<{ invitation: { id: string } }>('POST', '/api/invitations', { body })).invitation.id
}
const apiKey = async () => {
  const body = { name: word(), scopes: ['send'] }
  return (await owner.ask<{ apiKey: { id: string } }>('POST', '/api/api-keys', { body })).apiKey.id
}
const WEBHOOK = { url: 'http://127.0.0.1:9/', events: ['email.sent'] }
const webhook = async () =>
  (await owner.ask<{ webhook: { id: string } }>('POST', '/api/webhooks', { body: WEBHOOK })).webhook.id
const delivery = async () =>
  (await owner.ask<{ id: string }>('POST', '/api/webhooks/[id]/test', one(await webhook()))).id
const member = () => join(app, owner, `${word()}@example.com`, 'member')
const archived = async (path: string, id: Promise<string>) => {
  const params = { id: await id }
  await owner.ask('DELETE', `${path}/[id]`, { params })
  return { params }
}

/** A running campaign with one email, set into a state as weeks would. */
async function email(assignments?: string): Promise<CallInput> {
  const due = await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [mailboxId] }, prospects: 1 })
  const id = due.emails[0]?.id ?? ''
  if (assignments)
    await inTransaction(app.db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(`UPDATE scheduled_emails SET ready_at = NULL, ${assignments} WHERE id = $1`, [id])
    })
  return { params: { id } }
}
const FAILED = `status = 'PERMANENTLY_FAILED', last_error_code = 'MESSAGE_REFUSED'`
const UNKNOWN = `status = 'OUTCOME_UNKNOWN', lease_token = 1, marked_token = 1, submit_started_at = app_now() - interval '1 hour'`
const later = new Date(Date.now() + 24 * 3_600_000).toISOString()

/** Through, and it has cancelled one email. */
async function bulk(): Promise<CallInput> {
  const body = { action: 'cancel', ids: [(await email()).params?.id] }
  return one((await owner.ask<{ id: string }>('POST', '/api/admin/outbox/bulks', { body })).id)
}

async function deadAction(): Promise<CallInput> {
  const { params } = await running()
  const { rows } = await app.db.pool.query<{ id: string }>(
    `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, status, reason, ended_at)
     SELECT workspace_id, 'CANCEL', gen_random_uuid(), app_now(), campaign_id, id, prospect_id, 'DEAD', 'FAILED_TOO_OFTEN', app_now()
     FROM campaign_prospects WHERE campaign_id = $1 RETURNING id`,
    [params?.id],
  )
  return one(rows[0]?.id ?? '')
}

async function running(): Promise<CallInput> {
  const due = await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [mailboxId] }, prospects: 1 })
  return one(due.campaignId)
}
async function paused(): Promise<CallInput> {
  const input = await running()
  await owner.ask('POST', '/api/campaigns/[id]/pause', input)
  return input
}
const draft = async (): Promise<CallInput> => {
  const id = await campaign()
  await owner.ask('POST', '/api/campaigns/[id]/prospects', one(id, { body: { prospectIds: [await prospect()] } }))
  return one(id)
}
const otherSettings = async (): Promise<CallInput> => {
  const settings = await owner.ask<Record<string, unknown>>('GET', '/api/settings/sending')
  const { nextTimeZone: _zone, nextTimeZoneAt: _at, version: _version, ...wishes } = settings
  return { body: { ...wishes, dailyQuota: 77 } }
}
const tokenInMailTo = async (address: string) => {
  await owner.ask('POST', '/api/invitations', { body: { email: address, role: 'member' } })
  return tokenMailedTo(app, address)
}

const OPERATIONS: Record<string, Repeated> = {
  'DELETE /api/api-keys/[id]': { input: async () => one(await apiKey()) },
  // It is no demo that the suite runs.
  'POST /api/demo/removal': { first: 404 },
  'POST /api/admin/held/lift': {
    input: async () => {
      await holdSending(app.db.pool)
      const { since } = await owner.ask<{ since: string }>('GET', '/api/admin/held')
      return { body: { since } }
    },
  },
  // Each time they are other events, unless there is an Idempotency-Key.
  'POST /api/events/batch': {
    input: async () => ({ body: { events: [{ name: 'bought', prospectId: await prospect() }] } }),
  },
  'POST /api/audit/export': {},
  'PATCH /api/campaigns/[id]': { input: async () => one(await campaign(), { body: { batchSize: 7 } }) },
  'DELETE /api/campaigns/[id]': { input: async () => one(await campaign()) },
  'POST /api/campaigns/[id]/prospects': { input: async () => one(await campaign(), { body: { all: true } }) },
  'POST /api/campaigns/[id]/prospects/bulk': {
    input: async () => {
      const input = await draft()
      const path = '/api/campaigns/[id]/prospects'
      const { enrolments } = await owner.ask<{ enrolments: { id: string }[] }>('GET', path, input)
      return { ...input, body: { action: 'pause', enrolmentIds: enrolments.map(({ id }) => id) } }
    },
  },
  'POST /api/campaigns/[id]/launch': { input: draft },
  'POST /api/campaigns/[id]/pause': { input: running },
  'POST /api/campaigns/[id]/resume': { input: paused },
  'POST /api/campaigns/[id]/stop': { input: running },
  'POST /api/campaigns/[id]/restore': { input: () => archived('/api/campaigns', campaign()) },
  'POST /api/campaigns/[id]/schedule': { input: running },
  'PATCH /api/webhooks/[id]': { input: async () => one(await webhook(), { body: { status: 'PAUSED' } }) },
  // Gone, but for a day it can be brought back.
  'DELETE /api/webhooks/[id]': { input: async () => one(await webhook()), again: 404 },
  'POST /api/webhooks/[id]/restore': { input: () => archived('/api/webhooks', webhook()) },
  'POST /api/webhooks/[id]/secret': { input: async () => one(await webhook()) },
  'POST /api/webhooks/[id]/test': { input: async () => one(await webhook()) },
  'POST /api/webhooks/[id]/deliveries/again': { input: async () => one(await webhook()) },
  'POST /api/webhook-deliveries/[id]/again': { input: async () => one(await delivery()) },
  'POST /api/domains/[id]/verify': {
    input: async () => one(await made('/api/domains', { domain: `${word()}.example` })),
  },
  // Deleted for good: nothing has this id any more.
  'DELETE /api/domains/[id]': {
    input: async () => one(await made('/api/domains', { domain: `${word()}.example` })),
    again: 404,
  },
  'POST /api/prospects/import/[id]/rejected': {
    input: async () => {
      const form = importForm(`email\n${word()}@example.com\n`, { columns: [{ to: 'email' }], onKnown: 'leave' })
      const { report } = await owner.ask<{ report: { id: string } }>('POST', '/api/prospects/import', form)
      return one(report.id, form)
    },
  },
  'POST /api/prospects/bulk': {
    input: async () => ({ body: { action: 'pause', prospectIds: [await prospect()] } }),
  },
  'POST /api/prospects/export': { input: () => ({ body: { filter: {} } }) },
  // Only invitations that wait are there.
  'DELETE /api/invitations/[id]': { input: async () => one(await invitation()), again: 404 },
  'POST /api/invitations/[id]/resend': { input: async () => one(await invitation()) },
  'POST /api/invitations/preview': {
    input: async () => ({ body: { token: await tokenInMailTo(`${word()}@example.com`) } }),
  },
  // A link works once; who lost the answer signs in.
  'POST /api/invitations/accept': {
    input: async () => ({
      body: {
        token: await tokenInMailTo(`${word()}@example.com`),
        newPerson: { name: 'Max', password: PASSWORD },
      },
    }),
    who: async () => new (owner.constructor as new () => Visitor)(),
    again: 410,
  },
  'PATCH /api/lists/[id]': { input: async () => one(await list(), { body: { name: word() } }) },
  'DELETE /api/lists/[id]': { input: async () => one(await list()) },
  'PATCH /api/templates/[id]': { input: async () => one(await template(), { body: { name: word() } }) },
  'DELETE /api/templates/[id]': { input: async () => one(await template()) },
  'POST /api/templates/[id]/restore': { input: () => archived('/api/templates', template()) },
  'POST /api/templates/[id]/preview': { input: async () => one(await template(), { body: {} }) },
  // Each goes out; this one has no server to go to.
  'POST /api/templates/[id]/test-send': {
    input: async () => one(await template(), { body: { mailboxId: await mailbox() } }),
    first: 409,
  },
  'PATCH /api/segments/[id]': { input: async () => one(await segment(), { body: { name: word() } }) },
  'DELETE /api/segments/[id]': { input: async () => one(await segment()) },
  'POST /api/segments/[id]/restore': { input: () => archived('/api/segments', segment()) },
  'POST /api/lists/[id]/restore': { input: () => archived('/api/lists', list()) },
  'POST /api/lists/[id]/members': {
    input: async () => one(await list(), { body: { prospectIds: [await prospect()] } }),
  },
  'DELETE /api/lists/[id]/members': {
    input: async () => one(await list(), { body: { prospectIds: [await prospect()] } }),
  },
  'PATCH /api/mailboxes/[id]': { input: async () => one(await mailbox(), { body: { stopped: true } }) },
  'DELETE /api/mailboxes/[id]': { input: async () => one(await mailbox()) },
  'POST /api/mailboxes/[id]/restore': { input: () => archived('/api/mailboxes', mailbox()) },
  'POST /api/mailboxes/[id]/test': { input: async () => one(await mailbox()) },
  // There is no Google project here, and the mailbox is one of SMTP.
  'POST /api/mailboxes/gmail/connect': { input: () => ({ body: {} }), first: 409 },
  'POST /api/mailboxes/gmail/callback': { input: () => ({ body: { state: 'x', code: 'x' } }), first: 409 },
  'POST /api/mailboxes/[id]/disconnect': { input: async () => one(await mailbox()), first: 409 },
  // Each batch without an Idempotency-Key is another.
  'POST /api/emails/batch': {
    input: () => ({ body: { emails: [{ to: 'zoe@example.com', subject: 'Hi', text: 'x' }] } }),
  },
  'POST /api/emails/[id]/cancel': {
    input: async () => {
      const sendAt = later
      return one(await made('/api/emails', { to: 'zoe@example.com', subject: 'Hi', text: 'x', sendAt }))
    },
  },
  'PATCH /api/members/[id]': { input: async () => one(await someone(), { body: { role: 'admin' } }) },
  // Gone is gone: another workspace's member answers the same.
  'DELETE /api/members/[id]': { input: async () => one(await someone()), again: 404 },
  'DELETE /api/members/me': { who: member, again: 403 },
  'POST /api/admin/actions/[id]/retry': { input: deadAction },
  'POST /api/admin/actions/[id]/cancel': { input: deadAction },
  'DELETE /api/admin/outbox/[id]': { input: () => email(FAILED) },
  'POST /api/admin/outbox/[id]/retry': { input: () => email(FAILED) },
  'POST /api/admin/outbox/[id]/resolve': {
    input: async () => ({ ...(await email(UNKNOWN)), body: { as: 'delivered' } }),
  },
  'POST /api/admin/outbox/[id]/cancel': { input: () => email() },
  'POST /api/admin/outbox/[id]/reschedule': {
    input: async () => ({ ...(await email()), body: { scheduledFor: later } }),
  },
  'POST /api/admin/outbox/[id]/restore': {
    input: () => email(`status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON'`),
  },
  'POST /api/admin/outbox/bulk': {
    input: async () => ({ body: { action: 'cancel', ids: [(await email()).params?.id] } }),
  },
  'POST /api/admin/outbox/export': { input: () => ({ body: {} }) },
  'DELETE /api/admin/outbox/filters/[id]': { input: async () => one(await queueFilter()) },
  'POST /api/admin/outbox/filters/[id]/restore': { input: async () => one(await queueFilter()) },
  'POST /api/admin/outbox/bulks/[id]/stop': { input: bulk },
  'POST /api/admin/outbox/bulks/[id]/undo': { input: bulk },
  'POST /api/password-reset': { input: () => ({ body: { email: 'olga@example.com' } }) },
  // The link of a mail works once.
  'PUT /api/password-reset': {
    input: async () => {
      const max = await member()
      const { person } = await whoAmI(max)
      await owner.ask('POST', '/api/password-reset', { body: { email: person.email } })
      const token = await expect
        .poll(() =>
          app.mails.some((mail) => JSON.stringify(mail.to).includes(person.email) && /reset/.test(mail.text ?? '')),
        )
        .toBe(true)
        .then(() => tokenMailedTo(app, person.email))
      return { body: { token, password: 'another good one' } }
    },
    again: 410,
  },
  'PATCH /api/prospects/[id]': { input: async () => one(await prospect(), { body: { company: 'Acme' } }) },
  'DELETE /api/prospects/[id]': { input: async () => one(await prospect()) },
  'POST /api/prospects/[id]/restore': { input: () => archived('/api/prospects', prospect()) },
  'POST /api/prospects/[id]/merge': {
    input: async () => one(await prospect(), { body: { loserId: await prospect() } }),
  },
  'POST /api/prospects/[id]/erase': { input: async () => one(await prospect()) },
  'POST /api/settings/sending/preview': { input: otherSettings },
  'PUT /api/settings/sending': {
    input: otherSettings,
  },
  'PATCH /api/sequences/[id]': { input: async () => one(await sequence(), { body: { name: word() } }) },
  'DELETE /api/sequences/[id]': { input: async () => one(await sequence()) },
  'POST /api/sequences/[id]/restore': { input: () => archived('/api/sequences', sequence()) },
  'POST /api/sequences/[id]/path': { input: () => one(sequenceId, { body: {} }) },
  'POST /api/sequences/[id]/preview': {
    input: async () => one(sequenceId, { body: { stepNumber: 1, prospectId: await prospect() } }),
  },
  // Its mailbox is stopped; both say so.
  'POST /api/sequences/[id]/test-send': {
    input: async () =>
      one(sequenceId, { body: { stepNumber: 1, prospectId: await prospect(), mailboxId: await mailbox() } }),
    first: 409,
  },
  'POST /api/session': { input: () => ({ body: { email: 'olga@example.com', password: PASSWORD } }) },
  'PATCH /api/session': { input: () => ({ body: { workspaceId } }) },
  // Who is signed out is nobody.
  'DELETE /api/session': { who: () => signIn('olga@example.com'), again: 401 },
  'POST /api/setup': {
    input: () => ({ body: { name: 'x', email: 'x@example.com', password: PASSWORD, workspaceName: 'x' } }),
    first: 409,
  },
  'POST /api/suppressions/bulk': { input: () => ({ body: { values: [`${word()}.example`] } }) },
  // Taken off the list for good.
  'DELETE /api/suppressions/[id]': {
    input: async () => {
      const body = { value: `${word()}.example` }
      const { suppression } = await owner.ask<{ suppression: { id: string } }>('POST', '/api/suppressions', { body })
      return one(suppression.id)
    },
    again: 404,
  },
  'PATCH /api/workspaces/[id]': { input: () => one(workspaceId, { body: { name: 'Acme again' } }) },
}

async function someone(): Promise<string> {
  const { person } = await whoAmI(await member())
  const { members } = await owner.ask<{ members: { id: string; personId: string }[] }>('GET', '/api/members')
  return members.find(({ personId }) => personId === person.id)?.id ?? ''
}

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  sequenceId = await sequence()
  mailboxId = await mailbox()
  await app.db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE id = $1`, [mailboxId])
  await owner.ask('PATCH', '/api/workspaces/[id]', one(workspaceId, { body: { postalAddress: '1 High Street' } }))
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
})

test('every operation that changes something is in this test, or makes something', () => {
  const changing = Object.values(CONTRACT)
    .flatMap((area): Operation[] => Object.values(area))
    .filter(({ method, makes }) => method !== 'GET' && !makes)
  expect(changing.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(OPERATIONS).sort())
})

describe.each(Object.entries(OPERATIONS))('%s', (name, { input, first: wanted, again, who }) => {
  test(`sent twice answers ${again ?? 'the same'} the second time`, async () => {
    const [method = '', path = ''] = name.split(' ')
    const caller = (await who?.()) ?? owner
    const call = await input?.()
    const first = await caller.call(method, path, call)
    const second = await caller.call(method, path, call)
    expect(first.status, JSON.stringify(first.json)).toBe(wanted ?? 200)
    expect(second.status, JSON.stringify(second.json)).toBe(again ?? first.status)
  })
})
