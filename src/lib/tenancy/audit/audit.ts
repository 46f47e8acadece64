import type { Sql } from '#lib/platform/database.ts'
import type { Actor } from '#lib/tenancy/person.ts'

/** Everything that is kept, and how a person reads it. Later actions add their line here. */
export const AUDIT_ACTIONS = {
  'workspace.created': 'created the workspace',
  'workspace.renamed': 'renamed the workspace',
  'workspace.time-zone-changed': 'changed the time zone',
  'person.signed-in': 'signed in',
  'person.sign-in-failed': 'failed to sign in',
  'person.signed-out': 'signed out',
  'person.password-reset': 'reset their password',
  'member.joined': 'joined the workspace',
  'member.role-changed': 'changed the role of',
  'member.removed': 'removed',
  'member.left': 'left the workspace',
  'invitation.created': 'invited',
  'invitation.resent': 'sent the invitation again to',
  'invitation.revoked': 'revoked the invitation of',
  'workspace.postal-address-changed': 'changed the postal address',
  'campaign.launched': 'launched the campaign',
  'campaign.paused': 'paused the campaign',
  'campaign.resumed': 'resumed the campaign',
  'campaign.stopped': 'stopped the campaign',
  'campaign.people-added': 'added people to the campaign',
  'campaign.people-changed': 'paused, resumed or removed people of the campaign',
  'campaign.changed': 'changed the settings of the campaign',
  'campaign.duplicated': 'duplicated the campaign',
  'campaign.archived': 'archived the campaign',
  'campaign.restored': 'restored the campaign',
  'sequence.changed': 'changed the launched sequence',
  'sequence.archived': 'archived the sequence',
  'sequence.restored': 'restored the sequence',
  'list.archived': 'archived the list',
  'list.restored': 'restored the list',
  'segment.archived': 'archived the segment',
  'segment.restored': 'restored the segment',
  'action.retried': 'tried the scheduled action again',
  'action.cancelled': 'cancelled the scheduled action',
  'email.retried': 'retried',
  'email.taken-as-delivered': 'took as delivered',
  'email.sent-again': 'sent again, though it may have been delivered,',
  'email.checked': 'looked for evidence about',
  'email.dismissed': 'dismissed',
  'email.cancelled': 'cancelled',
  'email.restored': 'restored',
  'email.rescheduled': 'rescheduled',
  'emails.changed': 'changed at once',
  'emails.exported': 'exported as CSV',
  'sequence.test-sent': 'sent themselves a test of',
  'template.created': 'made the template',
  'template.changed': 'changed the template',
  'template.archived': 'archived the template',
  'template.restored': 'restored the template',
  'template.test-sent': 'sent themselves a test of the template',
  'domain.added': 'added the sending domain',
  'domain.verified': 'verified the sending domain',
  'domain.removed': 'removed the sending domain',
  'mailbox.added': 'added the mailbox',
  'mailbox.changed': 'changed the mailbox',
  'mailbox.stopped': 'stopped the mailbox',
  'mailbox.reconnected': 'reconnected the mailbox',
  'mailbox.archived': 'archived the mailbox',
  'mailbox.restored': 'restored the mailbox',
  'settings.sending-changed': 'changed the sending settings',
  'sending.hold-lifted': 'let sending go on after a hold',
  'audit.exported': 'exported the audit log',
  'api-key.made': 'made the API key',
  'api-key.revoked': 'revoked the API key',
  'webhook.added': 'added the webhook to',
  'webhook.changed': 'changed the webhook to',
  'webhook.paused': 'paused the webhook to',
  'webhook.disabled': 'disabled the webhook to',
  'webhook.enabled': 'enabled the webhook to',
  'webhook.removed': 'removed the webhook to',
  'webhook.restored': 'brought back the webhook to',
  'webhook.secret-rotated': 'made a new secret for the webhook to',
  'prospect.archived': 'archived',
  'prospect.restored': 'restored',
  'prospect.unsubscribed': 'unsubscribed, on their word,',
  'prospect.replied': 'noted the reply of',
  'prospect.not-replied': 'took back the reply of',
  'prospect.unsubscribed-by-link': 'unsubscribed by the link in an email',
  'prospect.subscribed-by-link': 'subscribed again by the link in an email',
  'prospect.merged': 'merged into another person',
  'prospect.erased': 'erased the personal data of',
  'prospect.exported': 'exported everything about',
  'prospects.changed': 'changed at once',
  'prospects.exported': 'exported as CSV',
  'prospects.imported': 'imported people with',
  'suppression.added': 'suppressed',
  'suppression.removed': 'took off the suppression list',
} as const satisfies Record<string, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]

/** The holder of an email's link. Their address is personal, and so is where they sit: neither is kept here. */
export const RECIPIENT: Omit<Actor, 'id'> & { id: null } = { id: null, email: 'The recipient' }

/** What the product does by itself, after what it met. */
export const PRODUCT: Omit<Actor, 'id'> & { id: null } = { id: null, email: 'Sendonce' }

/** What a person had set for a time, when it has come. */
export const CLOCK: typeof PRODUCT = { id: null, email: 'The time that was set' }

export type AuditEntry = {
  action: AuditAction
  actor: Actor | typeof RECIPIENT | typeof PRODUCT
  /** What it was done to; the name is kept as it was then. */
  target: { kind: string; id: string | null; name: string }
  /** What a reader needs beside it: the role before and after. Never a secret, never a body. */
  details?: Record<string, string | number | boolean | null>
}

/** Keeps what was done, in the very transaction that does it: neither exists without the other. */
export async function recordAudit(tx: Sql, workspaceId: string, entry: AuditEntry): Promise<void> {
  const { action, actor, target, details = {} } = entry
  await tx.query(
    `INSERT INTO audit_log (workspace_id, action, actor_id, actor_email, target_kind, target_id, target_name, details, address, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      workspaceId,
      action,
      actor.id,
      actor.email,
      target.kind,
      target.id,
      target.name,
      details,
      actor.address ?? null,
      actor.requestId ?? null,
    ],
  )
}

/** A person belongs to several workspaces; what they do about themselves is seen in each. */
export async function recordPersonAudit(
  tx: Sql,
  action: Extract<AuditAction, `person.${string}`>,
  actor: Actor,
): Promise<void> {
  await tx.query(
    `INSERT INTO audit_log (workspace_id, action, actor_id, actor_email, target_kind, target_id, target_name, address, request_id)
     SELECT workspace_id, $2, $1::uuid, $3, 'person', $1::uuid::text, $3, $4, $5 FROM members WHERE user_id = $1 ORDER BY workspace_id`,
    [actor.id, action, actor.email, actor.address ?? null, actor.requestId ?? null],
  )
}
