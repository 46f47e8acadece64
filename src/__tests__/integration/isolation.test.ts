import { readdir } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RouteHandler } from '#lib/platform/http/route.ts'
import { newId } from '#lib/platform/id.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import {
  type CallInput,
  join,
  type Me,
  memberId,
  setUp,
  signIn,
  testApp,
  Visitor,
  whoAmI,
} from '#tests/support/server/in-process.ts'

/**
 * Every route under src/app/api is found on disk and called as a person of another workspace, as a member of this one,
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
  segmentId: string
  queueFilterId: string
  templateId: string
  suppressionId: string
  importId: string
  sequenceId: string
  campaignId: string
  archivableId: string
  emailId: string
  enrolmentId: string
  enrolledIn: string
  actionId: string
  bulkId: string
  domainId: string
  apiKeyId: string
  mailId: string
  previewedId: string
  preview: { stepNumber: number; prospectId: string }
  mailboxId: string
  webhookId: string
  deliveryId: string
}

const A_MAIL = { to: 'zoe@example.com', subject: 'Your code', text: '123' }

const ofTheWorkspace = { stranger: 404, nobody: 401 }
const forMembers = { ...ofTheWorkspace, member: 200 }
/** Where something is made. */
const madeByMembers = { ...ofTheWorkspace, member: 201 }
const forAdmins = { ...ofTheWorkspace, member: 403 }
/** What stands in its way is ours as well: the draft has nobody in it, the sequence has a campaign. */
const inUse = { ...ofTheWorkspace, member: 409 }
const aMailbox = (ours: Ours): CallInput => ({ params: { id: ours.mailboxId } })
const NOWHERE = { host: '127.0.0.1', port: 9, security: 'NONE', username: '' }
const aCampaign = (ours: Ours): CallInput => ({ params: { id: ours.campaignId } })
const A_WEBHOOK = { url: 'http://127.0.0.1:9/', events: ['email.sent'] }
const aWebhook = (ours: Ours): CallInput => ({ params: { id: ours.webhookId } })
const aBulk = (ours: Ours): CallInput => ({ params: { id: ours.bulkId } })
/** That came to nothing, so that it can be tried again, and cancelled. */
async function anActionOf(campaignId: string): Promise<{ actionId: string; enrolmentId: string; enrolledIn: string }> {
  const { rows } = await app.db.pool.query<{ actionId: string; enrolmentId: string }>(
    `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, status, reason, ended_at)
     SELECT workspace_id, 'CANCEL', 'an action', app_now() + interval '1 day', campaign_id, id, prospect_id, 'DEAD', 'FAILED_TOO_OFTEN', app_now()
     FROM campaign_prospects WHERE campaign_id = $1 RETURNING id AS "actionId", enrolment_id AS "enrolmentId"`,
    [campaignId],
  )
  return { actionId: '', enrolmentId: '', ...rows[0], enrolledIn: campaignId }
}

const anAction = (ours: Ours): CallInput => ({ params: { id: ours.actionId } })

const anEmail = (ours: Ours): CallInput => ({ params: { id: ours.emailId } })

const aTemplate = (ours: Ours): CallInput => ({ params: { id: ours.templateId } })

const aPreview = (ours: Ours): CallInput => ({ params: { id: ours.sequenceId }, body: ours.preview })

const ROUTES: Record<string, Expectation> = {
  'GET /api/health': { stranger: 200, member: 200, nobody: 200 },
  'GET /api/cron/send-emails': { stranger: 401, member: 401, nobody: 401 },
  'GET /api/openapi.json': { stranger: 200, member: 200, nobody: 200 },
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

  'POST /api/workspaces': { stranger: 201, member: 201, nobody: 401, input: () => ({ body: { name: 'Of my own' } }) },
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
  'POST /api/sequences': { ...madeByMembers, input: () => ({ body: { name: 'Of my own' } }) },
  'GET /api/sequences/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.sequenceId } }) },
  'PATCH /api/sequences/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.sequenceId }, query: { dryRun: 'true' }, body: { name: 'Taken over' } }),
  },
  'DELETE /api/sequences/[id]': { ...inUse, input: (ours) => ({ params: { id: ours.sequenceId } }) },
  'POST /api/sequences/[id]/restore': { ...forMembers, input: (ours) => ({ params: { id: ours.sequenceId } }) },

  'POST /api/sequences/[id]/duplicate': { ...madeByMembers, input: (ours) => ({ params: { id: ours.sequenceId } }) },
  'GET /api/sequences/[id]/versions': { ...forMembers, input: (ours) => ({ params: { id: ours.sequenceId } }) },
  'GET /api/sequences/[id]/versions/[version]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.sequenceId, version: '1' } }),
  },
  'GET /api/sequences/fields': forMembers,
  'GET /api/sequences/preview-canvas': forMembers,

  'POST /api/sequences/[id]/path': { ...forMembers, input: (ours) => ({ params: { id: ours.sequenceId }, body: {} }) },
  'GET /api/campaigns/[id]/prospects/[enrolmentId]/path': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.enrolledIn, enrolmentId: ours.enrolmentId } }),
  },
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

  'GET /api/api-keys': forAdmins,
  'POST /api/api-keys': { ...forAdmins, input: () => ({ body: { name: 'Shop', scopes: ['send'] } }) },
  'DELETE /api/api-keys/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.apiKeyId } }) },

  'GET /api/emails': forMembers,
  'POST /api/emails': { ...madeByMembers, input: () => ({ body: A_MAIL }) },
  'POST /api/emails/batch': { ...forMembers, input: () => ({ body: { emails: [A_MAIL] } }) },
  'GET /api/emails/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.mailId } }) },
  'POST /api/emails/[id]/cancel': { ...forMembers, input: (ours) => ({ params: { id: ours.mailId } }) },

  'POST /api/events': {
    ...madeByMembers,
    input: (ours) => ({ body: { name: 'bought', prospectId: ours.prospectId } }),
  },
  'POST /api/events/batch': {
    ...forMembers,
    input: (ours) => ({ body: { events: [{ name: 'bought', prospectId: ours.prospectId }] } }),
  },
  'GET /api/prospects/[id]/events': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },

  'GET /api/domains': forMembers,
  'POST /api/domains': { ...forAdmins, input: () => ({ body: { domain: 'acme.example' } }) },
  'DELETE /api/domains/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.domainId } }) },
  'POST /api/domains/[id]/verify': { ...forAdmins, input: (ours) => ({ params: { id: ours.domainId } }) },

  'POST /api/demo/removal': forAdmins,
  'GET /api/overview': forMembers,
  'GET /api/overview/rows': {
    // A stranger's workspace is not ours, whichever campaign is named.
    ...forMembers,
    input: (ours) => ({ query: { what: 'blocked', campaignId: ours.campaignId } }),
  },
  'GET /api/campaigns': forMembers,
  'POST /api/campaigns': {
    ...madeByMembers,
    input: (ours) => ({ body: { name: 'Of my own', sequenceId: ours.sequenceId } }),
  },
  'GET /api/campaigns/[id]': { ...forMembers, input: aCampaign },
  'PATCH /api/campaigns/[id]': { ...forMembers, input: (ours) => ({ ...aCampaign(ours), body: { batchSize: 100 } }) },
  'DELETE /api/campaigns/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.archivableId } }) },
  'GET /api/campaigns/[id]/prospects': { ...forMembers, input: aCampaign },
  'GET /api/enrolments': forMembers,
  'POST /api/campaigns/[id]/prospects': {
    ...forMembers,
    input: (ours) => ({ ...aCampaign(ours), body: { all: true } }),
  },
  'POST /api/campaigns/[id]/prospects/bulk': {
    ...forMembers,
    input: (ours) => ({ ...aCampaign(ours), body: { action: 'pause', enrolmentIds: [ours.prospectId] } }),
  },
  'GET /api/campaigns/[id]/plan': { ...forMembers, input: aCampaign },
  'POST /api/campaigns/[id]/launch': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/restore': { ...forMembers, input: aCampaign },
  'POST /api/campaigns/[id]/pause': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/resume': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/stop': { ...inUse, input: aCampaign },
  'POST /api/campaigns/[id]/duplicate': { ...madeByMembers, input: aCampaign },
  'GET /api/campaigns/[id]/schedule': { ...forMembers, input: aCampaign },
  'POST /api/campaigns/[id]/schedule': { ...inUse, input: aCampaign },
  'GET /api/campaigns/[id]/scheduled-emails': { ...forMembers, input: aCampaign },
  'GET /api/campaigns/[id]/progress': { ...forMembers, input: aCampaign },
  'GET /api/campaigns/[id]/calendar': { ...forMembers, input: aCampaign },
  'GET /api/campaigns/[id]/activity': { ...forMembers, input: aCampaign },
  'GET /api/campaigns/[id]/diagnose': { ...forMembers, input: aCampaign },

  'GET /api/mailboxes': forMembers,
  'POST /api/mailboxes': {
    ...forAdmins,
    input: () => ({ body: { address: 'spy@example.com', smtp: NOWHERE } }),
  },
  'GET /api/mailboxes/[id]': { ...forMembers, input: aMailbox },
  'PATCH /api/mailboxes/[id]': { ...forAdmins, input: (ours) => ({ ...aMailbox(ours), body: { stopped: true } }) },
  'DELETE /api/mailboxes/[id]': { ...forAdmins, input: aMailbox },
  'POST /api/mailboxes/[id]/restore': { ...forAdmins, input: aMailbox },
  'POST /api/mailboxes/[id]/test': { ...forAdmins, input: aMailbox },
  'GET /api/mailboxes/[id]/removal': { ...forMembers, input: aMailbox },
  'POST /api/mailboxes/gmail/connect': { ...forAdmins, input: () => ({ body: {} }) },
  'POST /api/mailboxes/gmail/callback': { ...forAdmins, input: () => ({ body: { state: 'x', code: 'x' } }) },
  'POST /api/mailboxes/[id]/disconnect': { ...forAdmins, input: aMailbox },

  'GET /api/settings/sending': forMembers,
  'PUT /api/settings/sending': { ...forAdmins, input: () => ({ body: {} }) },
  'GET /api/settings/sending/limits': forMembers,
  'POST /api/settings/sending/preview': { ...forAdmins, input: () => ({ body: {} }) },
  'GET /api/settings/sending/holiday-places': forMembers,
  'GET /api/settings/sending/holidays': { ...forMembers, input: () => ({ query: { country: 'DE', year: '2026' } }) },

  'GET /api/admin/dashboard': forMembers,
  'GET /api/admin/held': forMembers,
  'GET /api/admin/held/groups': forMembers,
  'POST /api/admin/held/lift': { ...forAdmins, input: () => ({ body: { since: '2026-01-01T00:00:00Z' } }) },
  'GET /api/admin/promise': forMembers,
  'GET /api/admin/outbox': forMembers,
  'GET /api/admin/actions': { ...forAdmins },
  'GET /api/admin/actions/[id]': { ...forAdmins, input: anAction },
  'POST /api/admin/actions/[id]/retry': { ...forAdmins, input: anAction },
  'POST /api/admin/actions/[id]/cancel': { ...forAdmins, input: anAction },
  'GET /api/admin/outbox/[id]': { ...forMembers, input: anEmail },
  'DELETE /api/admin/outbox/[id]': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/retry': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/cancel': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/restore': { ...forAdmins, input: anEmail },
  'POST /api/admin/outbox/[id]/reschedule': {
    ...forAdmins,
    input: (ours) => ({ ...anEmail(ours), body: { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() } }),
  },
  'POST /api/admin/outbox/[id]/resolve': {
    ...forAdmins,
    input: (ours) => ({ ...anEmail(ours), body: { as: 'delivered' } }),
  },
  'POST /api/admin/outbox/bulk': {
    ...forAdmins,
    input: (ours) => ({ body: { action: 'cancel', ids: [ours.emailId] } }),
  },
  'GET /api/admin/outbox/count': forMembers,
  'POST /api/admin/outbox/export': { ...forAdmins, input: () => ({ body: {} }) },
  'GET /api/admin/outbox/bulks': forMembers,
  'POST /api/admin/outbox/bulks': {
    ...forAdmins,
    input: (ours) => ({ body: { action: 'cancel', ids: [ours.emailId] } }),
  },
  'GET /api/admin/outbox/bulks/[id]': { ...forMembers, input: aBulk },
  'POST /api/admin/outbox/bulks/[id]/stop': { ...forAdmins, input: aBulk },
  'POST /api/admin/outbox/bulks/[id]/undo': { ...forAdmins, input: aBulk },

  'GET /api/admin/outbox/filters': forMembers,
  'POST /api/admin/outbox/filters': {
    ...madeByMembers,
    input: () => ({ body: { name: 'Mine', filter: { kind: 'CAMPAIGN' } } }),
  },
  'GET /api/admin/outbox/filters/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.queueFilterId } }) },
  'POST /api/admin/outbox/filters/[id]/restore': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.queueFilterId } }),
  },
  'DELETE /api/admin/outbox/filters/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.queueFilterId } }) },
  'GET /api/webhooks': forMembers,
  'POST /api/webhooks': { ...forAdmins, input: () => ({ body: A_WEBHOOK }) },
  'GET /api/webhooks/[id]': { ...forMembers, input: aWebhook },
  'PATCH /api/webhooks/[id]': { ...forAdmins, input: (ours) => ({ ...aWebhook(ours), body: { status: 'PAUSED' } }) },
  'DELETE /api/webhooks/[id]': { ...forAdmins, input: aWebhook },
  'POST /api/webhooks/[id]/restore': { ...forAdmins, input: aWebhook },
  'POST /api/webhooks/[id]/secret': { ...forAdmins, input: aWebhook },
  'POST /api/webhooks/[id]/test': { ...forAdmins, input: aWebhook },
  'GET /api/webhooks/[id]/deliveries': { ...forMembers, input: aWebhook },
  'POST /api/webhooks/[id]/deliveries/again': { ...forAdmins, input: aWebhook },
  'GET /api/webhook-deliveries/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.deliveryId } }) },
  'POST /api/webhook-deliveries/[id]/again': {
    ...forAdmins,
    input: (ours) => ({ params: { id: ours.deliveryId } }),
  },

  'GET /api/audit': forAdmins,
  'POST /api/audit/export': forAdmins,

  'GET /api/prospects': forMembers,
  'POST /api/prospects': { ...madeByMembers, input: () => ({ body: { email: 'new@example.com' } }) },
  'GET /api/prospects/count': forMembers,
  'GET /api/prospects/fields': forMembers,
  'POST /api/prospects/bulk': {
    ...forMembers,
    input: (ours) => ({ body: { action: 'add-to-list', listId: ours.listId, prospectIds: [ours.prospectId] } }),
  },
  'POST /api/prospects/export': { ...forAdmins, input: () => ({ body: { filter: {} } }) },
  'GET /api/prospects/[id]/history': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'GET /api/prospects/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'PATCH /api/prospects/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.prospectId }, body: { company: 'Acme' } }),
  },
  'DELETE /api/prospects/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },
  'POST /api/prospects/[id]/restore': { ...forMembers, input: (ours) => ({ params: { id: ours.prospectId } }) },
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
      ...importForm('email\nnew@example.com\n'),
    }),
  },
  'GET /api/prospects/import': forMembers,
  'POST /api/prospects/import/[id]/rejected': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.importId }, ...importForm('email\ncleo@example.com\n') }),
  },
  'GET /api/prospects/import/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.importId } }) },

  'GET /api/templates': forMembers,
  'POST /api/templates': { ...madeByMembers, input: () => ({ body: { name: 'Mine' } }) },
  'GET /api/templates/[id]': { ...forMembers, input: aTemplate },
  'PATCH /api/templates/[id]': {
    ...forMembers,
    input: (ours) => ({ ...aTemplate(ours), body: { name: 'Renamed' } }),
  },
  'POST /api/templates/[id]/restore': { ...forMembers, input: aTemplate },
  'DELETE /api/templates/[id]': { ...forMembers, input: aTemplate },
  'POST /api/templates/[id]/preview': { ...forMembers, input: (ours) => ({ ...aTemplate(ours), body: {} }) },
  'POST /api/templates/[id]/test-send': {
    ...ofTheWorkspace,
    // Of this workspace, and its mailbox has no server.
    member: 409,
    input: (ours) => ({ ...aTemplate(ours), body: { mailboxId: ours.mailboxId } }),
  },
  'GET /api/segments': forMembers,
  'POST /api/segments': { ...madeByMembers, input: () => ({ body: { name: 'Mine', filter: { contacted: 'no' } } }) },
  'GET /api/segments/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.segmentId } }) },
  'PATCH /api/segments/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.segmentId }, body: { name: 'Ours' } }),
  },
  'POST /api/segments/[id]/restore': { ...forMembers, input: (ours) => ({ params: { id: ours.segmentId } }) },
  'DELETE /api/segments/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.segmentId } }) },

  'GET /api/lists': forMembers,
  'POST /api/lists': { ...madeByMembers, input: () => ({ body: { name: 'Readers' } }) },
  'GET /api/lists/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.listId } }) },
  'PATCH /api/lists/[id]': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.listId }, body: { name: 'Ours' } }),
  },
  'DELETE /api/lists/[id]': { ...forMembers, input: (ours) => ({ params: { id: ours.listId } }) },
  'POST /api/lists/[id]/restore': { ...forMembers, input: (ours) => ({ params: { id: ours.listId } }) },
  'POST /api/lists/[id]/members': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.listId }, body: { prospectIds: [ours.prospectId] } }),
  },
  'DELETE /api/lists/[id]/members': {
    ...forMembers,
    input: (ours) => ({ params: { id: ours.listId }, body: { prospectIds: [ours.prospectId] } }),
  },

  'GET /api/suppressions': forMembers,
  'POST /api/suppressions': { ...madeByMembers, input: () => ({ body: { value: 'spam.example' } }) },
  'POST /api/suppressions/bulk': { ...forMembers, input: () => ({ body: { values: ['junk.example'] } }) },
  'DELETE /api/suppressions/[id]': { ...forAdmins, input: (ours) => ({ params: { id: ours.suppressionId } }) },
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const app = testApp()
let ours: Ours
let owner: Visitor
let stranger: Visitor | undefined
let member: Visitor | undefined

/** Some of these calls end a session, a membership, or lead elsewhere: then the next call is another visitor's. */
async function aStranger(): Promise<Visitor> {
  if (!stranger || (await roleAt(stranger, 'Elsewhere')) !== 'owner') stranger = await signIn('stranger@example.com')
  return stranger
}

async function aMember(): Promise<Visitor> {
  if (!member || (await roleAt(member, 'Acme')) !== 'member')
    member = await join(app, owner, `${crypto.randomUUID()}@example.com`, 'member')
  return member
}

/** The role of a visitor who is in the workspace of this name, and at present looks at it. */
async function roleAt(visitor: Visitor, name: string): Promise<string | undefined> {
  const { json } = await visitor.call<Me>('GET', '/api/session')
  const workspace = json?.success ? json.data.workspace : undefined
  return workspace?.name === name ? workspace.role : undefined
}

beforeAll(async () => {
  owner = await setUp()
  const guest = await join(app, owner, 'stranger@example.com', 'member')
  await guest.ask('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
  await guest.ask('DELETE', '/api/members/me')
  const sent = await owner.ask<{ invitation: { id: string } }>('POST', '/api/invitations', {
    body: { email: 'invited@example.com', role: 'member' },
  })
  const add = async (email: string) =>
    (await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body: { email } })).prospect.id
  const list = await owner.ask<{ id: string }>('POST', '/api/lists', { body: { name: 'Ours' } })
  const queueFilter = await owner.ask<{ id: string }>('POST', '/api/admin/outbox/filters', {
    body: { name: 'Ours', filter: { kind: 'CAMPAIGN' } },
  })
  const segment = await owner.ask<{ id: string }>('POST', '/api/segments', {
    body: { name: 'Ours', filter: { contacted: 'no' } },
  })
  const template = await owner.ask<{ id: string }>('POST', '/api/templates', {
    body: { name: 'Ours', subject: 'Hello', bodyText: 'A word.' },
  })
  const { suppression } = await owner.ask<{ suppression: { id: string } }>('POST', '/api/suppressions', {
    body: { value: 'blocked@example.com' },
  })
  const { report } = await owner.ask<{ report: { id: string } }>('POST', '/api/prospects/import', {
    ...importForm('email\ncleo@example.com\n', { columns: [{ to: 'email' }], onKnown: 'leave' }),
  })
  const { id: sequenceId } = await owner.ask<{ id: string }>('POST', '/api/sequences', {
    body: { name: 'Welcome', steps: [{ subject: 'Hello', bodyText: 'A word.' }] },
  })
  const { mailbox } = await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
    body: { address: 'ann@acme.test', smtp: NOWHERE, test: false },
  })
  const campaign = { body: { name: 'Spring', sequenceId } }
  const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  const { emails, campaignId: campaignOfEmail } = await makeDueCampaign(app.db.pool, {
    in: { workspaceId, mailboxIds: [mailbox.id] },
    prospects: 1,
  })
  // Nobody of the others below erases or merges this one.
  const previewedId = await add('dora@example.com')
  const aMail = async () => {
    const body = { ...A_MAIL, sendAt: new Date(Date.now() + 3_600_000).toISOString() }
    return (await owner.ask<{ id: string }>('POST', '/api/emails', { body })).id
  }
  const anApiKey = async () => {
    const body = { name: 'Shop', scopes: ['send'] }
    return (await owner.ask<{ apiKey: { id: string } }>('POST', '/api/api-keys', { body })).apiKey.id
  }
  const { id: domainId } = await owner.ask<{ id: string }>('POST', '/api/domains', { body: { domain: 'ours.example' } })
  const { webhook } = await owner.ask<{ webhook: { id: string } }>('POST', '/api/webhooks', { body: A_WEBHOOK })
  const delivery = await owner.ask<{ id: string }>('POST', '/api/webhooks/[id]/test', { params: { id: webhook.id } })
  ours = {
    webhookId: webhook.id,
    deliveryId: delivery.id,
    emailId: emails[0]?.id ?? '',
    ...(await anActionOf(campaignOfEmail)),
    bulkId: (
      await owner.ask<{ id: string }>('POST', '/api/admin/outbox/bulks', { body: { action: 'cancel', ids: [newId()] } })
    ).id,
    domainId,
    apiKeyId: await anApiKey(),
    mailId: await aMail(),
    previewedId,
    preview: { stepNumber: 1, prospectId: previewedId },
    mailboxId: mailbox.id,
    importId: report.id,
    prospectId: await add('ann@example.com'),
    loserId: await add('bob@example.com'),
    listId: list.id,
    segmentId: segment.id,
    queueFilterId: queueFilter.id,
    templateId: template.id,
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

  test(`answers ${expected.stranger} to another workspace`, async () => {
    expect(await call(await aStranger())).toBe(expected.stranger)
  })

  if (path.includes('[')) {
    test('answers 404 to an id of ours from within another workspace', async () => {
      expect(await call(await aStranger(), {})).toBe(404)
    })
  }

  test(`answers ${expected.member} to a member`, async () => {
    expect(await call(await aMember())).toBe(expected.member)
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
