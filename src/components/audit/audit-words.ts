import { AUDIT_ACTIONS, type AuditAction } from '#lib/tenancy/audit.ts'

/** As the filter lists them. The log itself says them as verbs. */
export const ACTION_LABEL: Record<AuditAction, string> = {
  'workspace.created': 'Workspace created',
  'workspace.renamed': 'Workspace renamed',
  'workspace.time-zone-changed': 'Time zone changed',
  'person.signed-in': 'Signed in',
  'person.sign-in-failed': 'Sign-in failed',
  'person.signed-out': 'Signed out',
  'person.password-reset': 'Password reset',
  'member.joined': 'Member joined',
  'member.role-changed': 'Role changed',
  'member.removed': 'Member removed',
  'member.left': 'Member left',
  'invitation.created': 'Invitation sent',
  'invitation.resent': 'Invitation sent again',
  'invitation.revoked': 'Invitation revoked',
  'workspace.postal-address-changed': 'Postal address changed',
  'campaign.launched': 'Campaign launched',
  'campaign.paused': 'Campaign paused',
  'campaign.resumed': 'Campaign resumed',
  'campaign.stopped': 'Campaign stopped',
  'campaign.archived': 'Campaign archived',
  'sequence.changed': 'Launched sequence changed',
  'sequence.archived': 'Sequence archived',
  'email.retried': 'Email retried',
  'email.taken-as-delivered': 'Email taken as delivered',
  'email.sent-again': 'Email sent again',
  'email.checked': 'Evidence looked for',
  'email.dismissed': 'Email dismissed',
  'email.cancelled': 'Email cancelled',
  'email.restored': 'Email restored',
  'email.rescheduled': 'Email rescheduled',
  'emails.changed': 'Many emails changed',
  'sequence.test-sent': 'Test email sent',
  'domain.added': 'Sending domain added',
  'domain.verified': 'Sending domain verified',
  'domain.removed': 'Sending domain removed',
  'mailbox.added': 'Mailbox added',
  'mailbox.changed': 'Mailbox changed',
  'mailbox.stopped': 'Mailbox stopped',
  'mailbox.reconnected': 'Mailbox reconnected',
  'mailbox.archived': 'Mailbox removed',
  'settings.sending-changed': 'Sending settings changed',
  'audit.exported': 'Audit log exported',
  'prospect.unsubscribed': 'Prospect unsubscribed',
  'prospect.unsubscribed-by-link': 'Unsubscribed by link',
  'prospect.subscribed-by-link': 'Subscribed again by link',
  'prospect.merged': 'Prospects merged',
  'prospect.erased': 'Prospect erased',
  'prospect.exported': 'Prospect exported',
  'prospects.imported': 'Prospects imported',
  'suppression.added': 'Address suppressed',
  'suppression.removed': 'Suppression lifted',
}

/** Verbs that want an object: "removed ada@example.com". In the others the actor did it to themselves or to the place. */
const WITH_TARGET: ReadonlySet<string> = new Set<AuditAction>([
  'member.role-changed',
  'member.removed',
  'invitation.created',
  'invitation.resent',
  'invitation.revoked',
  'campaign.launched',
  'campaign.paused',
  'campaign.resumed',
  'campaign.stopped',
  'campaign.archived',
  'sequence.changed',
  'sequence.archived',
  'email.retried',
  'email.taken-as-delivered',
  'email.sent-again',
  'email.checked',
  'email.dismissed',
  'email.cancelled',
  'email.restored',
  'email.rescheduled',
  'emails.changed',
  'sequence.test-sent',
  'domain.added',
  'domain.verified',
  'domain.removed',
  'prospect.unsubscribed-by-link',
  'prospect.subscribed-by-link',
  'mailbox.added',
  'mailbox.changed',
  'mailbox.stopped',
  'mailbox.reconnected',
  'mailbox.archived',
  'prospect.erased',
  'prospect.exported',
  'prospects.imported',
  'suppression.added',
  'suppression.removed',
])

/** An entry of an action that this version does not know is shown by its name, not left out. */
export function sentenceOf(entry: { action: string; targetName: string }): { verb: string; target: string | null } {
  const verb: string = isKnown(entry.action) ? AUDIT_ACTIONS[entry.action] : entry.action
  return { verb, target: WITH_TARGET.has(entry.action) ? entry.targetName : null }
}

export function isKnown(action: string): action is AuditAction {
  return Object.hasOwn(AUDIT_ACTIONS, action)
}

const DETAIL_LABEL: Record<string, string> = {
  before: 'Before',
  after: 'After',
  role: 'Role',
  timeZone: 'Time zone',
  effectiveAt: 'Takes effect',
}

export function detailLabel(name: string): string {
  return DETAIL_LABEL[name] ?? name
}
