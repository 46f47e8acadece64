import { readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RouteHandler } from '#lib/platform/route.ts'
import { type CallInput, join, memberId, setUp, signIn, testApp, Visitor, whoAmI } from '#tests/support/in-process.ts'
import { addDueCampaign } from '#tests/support/sending.ts'

/**
 * Every route under src/app/api is found on disk and called as somebody of another workspace, as a member of this one,
 * and as nobody. A route that stands in no line below fails this test: add its line with the route.
 */
type Expectation = {
  /** Of a stranger: an owner of another workspace, who names ours in the header and uses our ids. */
  stranger: number
  /** Of a member of ours, with the lowest role. */
  member: number
  nobody: number
  /** What the call needs besides: ids of ours, a body that fits. Absent where the answer comes before they are read. */
  input?: (ours: Ours) => CallInput
}

/** Things of our workspace that a stranger might name. */
type Ours = {
  workspaceId: string
  ownerMemberId: string
  invitationId: string
  prospectId: string
  loserId: string
  listId: string
  suppressionId: string
  importId: string
  sequenceId: string
  campaignId: string
  archivableId: string
  emailId: string
  domainId: string
  previewedId: string
  preview: { stepNumber: number; prospectId: string }
  mailboxId: string
}

const ofTheWorkspace = { stranger: 404, nobody: 401 }
const forMembers = { ...ofTheWorkspace, member: 200 }
const forAdmins = { ...ofTheWorkspace, member: 403 }
/** What stands in its way is ours as well: the draft has nobody in it, the sequence has a campaign. */
const inUse = { ...ofTheWorkspace, member: 409 }
const aMailbox = (ours: Ours): CallInput => ({ params: { id: ours.mailboxId } })
const NOWHERE = { host: '127.0.0.1', port: 9, security: 'NONE', username: '' }
const aCampaign = (ours: Ours): CallInput => ({ params: { id: ours.campaignId } })
const anEmail = (ours: Ours): CallInput => ({ params: { id: ours.emailId } })

const aPreview = (ours: Ours): CallInput => ({ params: { id: ours.sequenceId }, body: ours.preview })

const ROUTES: Record<string, Expectation> = {
  'GET /api/health': { stranger: 200, member: 200, nobody: 200 },
  'GET /api/cron/send-emails': { stranger: 401, member: 401, nobody: 401 },
  'GET /api/metrics': { stranger: 503, member: 503, nobody: 503 },
  'GET /api/[...path]': { stranger: 404, member: 404, nobody: 404 },
  'POST /api/[...path]': { stranger: 404, member: 404, nobody: 404 },
  'PUT /api/[...path]': { stranger: 404, member: 404, nobody: 404 },
  'PATCH /api/[...path]': { stranger: 404, member: 404, nobody: 404 },
  'DELETE /api/[...path]': { stranger: 404, member: 404, nobody: 404 },

  'GET /api/setup': { stranger: 200, member: 200, nobody: 200 },
  'POST /api/setup': {
    ...{ stranger: 409, member: 409, nobody: 409 },
    input: () => ({ body: { name: 'x', email: 'x@example.com', password: 'long enough', workspaceName: 'x' } }),
  },
  'GET /api/session': { stranger: 200, member: 200, nobody: 401 },
  'POST /api/session': {
    ...{ stranger: 401, member: 401, nobody: 401 },
    input: () => ({ body: { email: 'x@example.com', password: 'wrong' } }),
  },
  'PATCH /api/session': { ...forMembers, input: (ours) => ({ body: { workspaceId: ours.workspaceId } }) },
  'DELETE /api/session': { stranger: 200, member: 200, nobody: 401 },
  'POST /api/password-reset': {
    ...{ stranger: 200, member: 200, nobody: 200 },
    input: () => ({ body: { email: 'x@example.com' } }),
  },
  'PUT /api/password-reset': {
    ...{ stranger: 410, member: 410, nobody: 410 },
    input: () => ({ body: { token: 'guessed', password: 'long enough' } }),
  },

  'POST /api/workspaces': { stranger: 200, member: 200, nobody: 401, input: () => ({ body: { name: 'Of my own' } }) },
  'GET /api/workspaces/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.workspaceId } }) },
  'PATCH /api/workspaces/[id]': {
    ...forAdmins,
    input: (ours) => ({ params: { id: ours.workspaceId }, body: { name: 'Taken over' } }),
  },

  'GET /api/members': forMembers,
  'PATCH /api/members/[id]': {
    ...forAdmins,
    input: (ours) => ({ params: { id: ours.ownerMemberId }, body: { role: 'member' } }),
  },
  'DELETE /api/members/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.ownerMemberId } }) },
  'DELETE /api/members/me': forMembers,

  'GET /api/invitations': forAdmins,
  'POST /api/invitations': { ...forAdmins, input: () => ({ body: { email: 'spy@example.com', role: 'member' } }) },
  'DELETE /api/invitations/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.invitationId } }) },
  'POST /api/invitations/[id]/resend': { ...forAdmins, input: (ours) => ({ params: { id: ours.invitationId } }) },
  'POST /api/invitations/preview': {
    ...{ stranger: 410, member: 410, nobody: 410 },
    input: () => ({ body: { token: 'guessed' } }),
  },
  'POST /api/invitations/accept': {
    ...{ stranger: 410, member: 410, nobody: 401 },
    input: () => ({ body: { token: 'guessed' } }),
  },

  'GET /api/sequences': forMembers,
  'POST /api/sequences': { ...forMembers, input: () => ({ body: { name: 'Of my own' } }) },
  'GET /api/sequences/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.sequenceId } }) },
  'PATCH /api/sequences/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.sequenceId }, query: { dryRun: 'true' }, body: { name: 'Taken over' } }),
  },
  'DELETE /api/sequences/[id]': { ...inUse, input: (ours) => ({ params: { id: ours.sequenceId } }) },

  'POST /api/sequences/[id]/preview': { ...forMembers, input: aPreview },
  'GET /api/sequences/[id]/preview/frame': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.sequenceId }, query: { stepNumber: '1', prospectId: ours.previewedId } }),
  },
  // No mailbox is there to send from, which is found out by a member only.
  'POST /api/sequences/[id]/test-send': {
    ...{ ...ofTheWorkspace, member: 404 },
    input: (ours) => ({ ...aPreview(ours), body: { ...ours.preview, mailboxId: ours.sequenceId } }),
  },

  'GET /api/domains': forMembers,
  'POST /api/domains': { ...forAdmins, input: () => ({ body: { domain: 'acme.example' } }) },
  'DELETE /api/domains/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.domainId } }) },
  'POST /api/domains/[id]/verify': { ...forAdmins, input: (ours) => ({ params: { id: ours.domainId } }) },

  'GET /api/campaigns': forMembers,
  'POST /api/campaigns': {
    ...forMembers,
    input: (ours) => ({ body: { name: 'Of my own', sequenceId: ours.sequenceId } }),
  },
  'GET /api/campaigns/[id]': { ...forMembers, input: aCampaign },
  'PATCH /api/campaigns/[id]': { ...forMembers, input: (ours) => ({ ...aCampaign(ours), body: { batchSize: 100 } }) },
  'DELETE /api/campaigns/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.archivableId } }) },
  'POST /api/campaigns/[id]/prospects': {
    ...forMembers,
    input: (ours) => ({ ...aCampaign(ours), body: { all: true } }),
  },
  'GET /api/campaigns/[id]/plan': { ...forMembers, input: aCampaign },
  'POST /api/campaigns/[id]/launch': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/pause': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/resume': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/stop': { ...inUse, input: aCampaign },
  'GET /api/campaigns/[id]/schedule': { ...forMembers, input: aCampaign },
  'POST /api/campaigns/[id]/schedule': { ...inUse, input: aCampaign },
  'GET /api/campaigns/[id]/scheduled-emails': { ...forMembers, input: aCampaign },
  'GET /api/campaigns/[id]/progress': { ...forMembers, input: aCampaign },
  'GET /api/campaigns/[id]/diagnose': { ...forMembers, input: aCampaign },

  'GET /api/mailboxes': forMembers,
  'POST /api/mailboxes': {
    ...forAdmins,
    input: () => ({ body: { address: 'spy@example.com', smtp: NOWHERE } }),
  },
  'GET /api/mailboxes/[id]': { ...forMembers, input: aMailbox },
  'PATCH /api/mailboxes/[id]': { ...forAdmins, input: (ours) => ({ ...aMailbox(ours), body: { stopped: true } }) },
  'DELETE /api/mailboxes/[id]': { ...forAdmins, input: aMailbox },
  'POST /api/mailboxes/[id]/test': { ...forAdmins, input: aMailbox },

  'GET /api/settings/sending': forMembers,
  'PUT /api/settings/sending': { ...forAdmins, input: () => ({ body: {} }) },

  'GET /api/admin/dashboard': forMembers,
  'GET /api/admin/outbox': forMembers,
  'GET /api/admin/outbox/[id]': { ...forMembers, input: anEmail },
  'DELETE /api/admin/outbox/[id]': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/retry': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/cancel': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/restore': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/reschedule': {
    ...forAdmins,
    input: (ours) => ({ ...anEmail(ours), body: { at: new Date(Date.now() + 3_600_000).toISOString() } }),
  },
  'POST /api/admin/outbox/[id]/resolve': {
    ...forAdmins,
    input: (ours) => ({ ...anEmail(ours), body: { as: 'delivered' } }),
  },
  'POST /api/admin/outbox/bulk': {
    ...forAdmins,
    input: (ours) => ({ body: { action: 'cancel', ids: [ours.emailId] } }),
  },

  'GET /api/audit': forAdmins,
  'POST /api/audit/export': forAdmins,

  'GET /api/prospects': forMembers,
  'POST /api/prospects': { ...forMembers, input: () => ({ body: { email: 'new@example.com' } }) },
  'GET /api/prospects/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'PATCH /api/prospects/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.prospectId }, body: { company: 'Acme' } }),
  },
  'DELETE /api/prospects/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'POST /api/prospects/[id]/merge': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.prospectId }, body: { loserId: ours.loserId } }),
  },
  'POST /api/prospects/[id]/erase': { ...forAdmins, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'GET /api/prospects/[id]/export': { ...forAdmins, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'POST /api/prospects/import': {
    ...forMembers,
    input: () => ({
      query: { preview: 'true' },
      file: 'email\nnew@example.com\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'GET /api/prospects/import/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.importId } }) },

  'GET /api/lists': forMembers,
  'POST /api/lists': { ...forMembers, input: () => ({ body: { name: 'Readers' } }) },
  'GET /api/lists/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.listId } }) },
  'PATCH /api/lists/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.listId }, body: { name: 'Ours' } }),
  },
  'DELETE /api/lists/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.listId } }) },
  'POST /api/lists/[id]/members': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.listId }, body: { prospectIds: [ours.prospectId] } }),
  },
  'DELETE /api/lists/[id]/members': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.listId }, body: { prospectIds: [ours.prospectId] } }),
  },

  'GET /api/suppressions': forMembers,
  'POST /api/suppressions': { ...forMembers, input: () => ({ body: { value: 'spam.example' } }) },
  'DELETE /api/suppressions/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.suppressionId } }) },
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const app = testApp()
let ours: Ours
let owner: Visitor

beforeAll(async () => {
  owner = await setUp()
  const stranger = await join(app, owner, 'stranger@example.com', 'member')
  await stranger.ask('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
  await stranger.ask('DELETE', '/api/members/me')
  const sent = await owner.ask<{ invitation: { id: string } }>('POST', '/api/invitations', {
    body: { email: 'invited@example.com', role: 'member' },
  })
  const add = async (email: string) =>
    (await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body: { email } })).prospect.id
  const list = await owner.ask<{ id: string }>('POST', '/api/lists', { body: { name: 'Ours' } })
  const { suppression } = await owner.ask<{ suppression: { id: string } }>('POST', '/api/suppressions', {
    body: { value: 'blocked@example.com' },
  })
  const { report } = await owner.ask<{ report: { id: string } }>('POST', '/api/prospects/import', {
    query: { options: JSON.stringify({ columns: [{ to: 'email' }], onKnown: 'leave' }) },
    file: 'email\ncleo@example.com\n',
    headers: { 'content-type': 'text/csv' },
  })
  const { id: sequenceId } = await owner.ask<{ id: string }>('POST', '/api/sequences', {
    body: { name: 'Welcome', steps: [{ subject: 'Hello', bodyText: 'A word.' }] },
  })
  const { mailbox } = await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
    body: { address: 'ann@acme.test', smtp: NOWHERE, test: false },
  })
  const campaign = { body: { name: 'Spring', sequenceId } }
  const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  const { emails } = await addDueCampaign(app.db.pool, { workspaceId, mailboxIds: [mailbox.id] }, 1)
  // Nobody of the others below erases or merges this one.
  const previewedId = await add('dora@example.com')
  const { id: domainId } = await owner.ask<{ id: string }>('POST', '/api/domains', { body: { domain: 'ours.example' } })
  ours = {
    emailId: emails[0]?.id ?? '',
    domainId,
    previewedId,
    preview: { stepNumber: 1, prospectId: previewedId },
    mailboxId: mailbox.id,
    importId: report.id,
    prospectId: await add('ann@example.com'),
    loserId: await add('bob@example.com'),
    listId: list.id,
    suppressionId: suppression.id,
    sequenceId,
    campaignId: (await owner.ask<{ id: string }>('POST', '/api/campaigns', campaign)).id,
    archivableId: (await owner.ask<{ id: string }>('POST', '/api/campaigns', campaign)).id,
    workspaceId,
    ownerMemberId: await memberId(owner, 'olga@example.com'),
    invitationId: sent.invitation.id,
  }
})

// One owner invites a member for each route: more than a person may in an hour.
beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
})

test('every route on disk stands in the list, and every line of the list is on disk', async () => {
  expect(Object.keys(ROUTES).sort()).toEqual((await routesOnDisk()).sort())
})

describe.each(Object.entries(ROUTES))('%s', (name, expected) => {
  const [method = '', path = ''] = name.split(' ')
  const call = async (visitor: Visitor, headers: Record<string, string> = { 'x-workspace-id': ours.workspaceId }) =>
    (await callWith(visitor, headers)).status
  const callWith = (visitor: Visitor, headers: Record<string, string>) => {
    const input = expected.input?.(ours)
    return visitor.call(method, path, { ...input, headers: { ...headers, ...input?.headers } })
  }

  // Signed in, and somebody new, each time: some of these calls end a session or a membership.
  test(`answers ${expected.stranger} to another workspace`, async () => {
    expect(await call(await signIn('stranger@example.com'))).toBe(expected.stranger)
  })

  if (path.includes('[')) {
    test('answers 404 to an id of ours from within another workspace', async () => {
      expect(await call(await signIn('stranger@example.com'), {})).toBe(404)
    })
  }

  test(`answers ${expected.member} to a member`, async () => {
    expect(await call(await join(app, owner, `${crypto.randomUUID()}@example.com`, 'member'))).toBe(expected.member)
  })

  test(`answers ${expected.nobody} to nobody`, async () => {
    expect(await call(new Visitor())).toBe(expected.nobody)
  })
})

test('after all of it, the workspace is as it was', async () => {
  const { workspace } = await whoAmI(owner)
  expect(workspace).toMatchObject({ id: ours.workspaceId, name: 'Acme', role: 'owner' })
  const { invitations } = await owner.ask<{ invitations: { id: string }[] }>('GET', '/api/invitations')
  expect(invitations.map((invitation) => invitation.id)).toEqual([ours.invitationId])
})

async function routesOnDisk(): Promise<string[]> {
  const files = await readdir('src/app/api', { recursive: true })
  const routes = files.filter((file) => /(^|\/)route\.tsx?$/.test(file))
  const names = routes.map(async (file) => {
    const module: Record<string, RouteHandler> = await import(
      /* @vite-ignore */ joinPath(process.cwd(), 'src/app/api', file)
    )
    return METHODS.filter((method) => method in module).map(
      (method) => `${method} /api/${file.replace(/\/route\.tsx?$/, '')}`,
    )
  })
  return (await Promise.all(names)).flat()
}
