import { createHash, randomBytes } from 'node:crypto'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { mayManage, type Role } from '#lib/tenancy/roles.ts'
import { lockWorkspace, roleTooLow } from '#lib/tenancy/workspaces/lock-workspace.ts'

export type InvitationRow = {
  id: string
  email: string
  role: Role
  inviterName: string
  createdAt: Date
  expiresAt: Date
  expired: boolean
  /** The newest mail about it. */
  mailId: string | null
}

/** What goes into the mail, and only there: the token is kept as a hash. */
export type SentInvitation = InvitationRow & { token: string; workspaceName: string }

export const INVITATION_VALID_DAYS = 7

export async function listInvitations(sql: Sql, workspaceId: string): Promise<InvitationRow[]> {
  const { rows } = await sql.query<InvitationRow>(`${PENDING} ORDER BY i.id DESC`, [workspaceId])
  return rows
}

const PENDING = `SELECT i.id, i.email, i.role, u.name AS "inviterName", i.created_at AS "createdAt",
    i.expires_at AS "expiresAt", i.expires_at <= app_now() AS expired, i.mail_id AS "mailId"
  FROM invitations i JOIN users u ON u.id = i.inviter_id
  WHERE i.workspace_id = $1 AND i.status = 'pending'`

/** One open invitation for an address; one that expired is opened anew. */
export async function invite(
  tx: Sql,
  workspaceId: string,
  { email, role }: { email: string; role: Role },
  actor: Actor,
): Promise<SentInvitation> {
  const actorRole = await lockWorkspace(tx, workspaceId, actor, 'admin')
  if (!mayManage(actorRole, role)) throw roleTooLow()
  await mustNotBeMember(tx, workspaceId, email)
  const token = newToken()
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO invitations AS open (id, workspace_id, email, role, token_hash, inviter_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, app_now() + make_interval(days => $7))
     ON CONFLICT (workspace_id, email) WHERE status = 'pending' DO UPDATE
     SET role = excluded.role, token_hash = excluded.token_hash, inviter_id = excluded.inviter_id, expires_at = excluded.expires_at
     WHERE open.expires_at <= app_now()
     RETURNING id`,
    [newId(), workspaceId, email, role, hashToken(token), actor.id, INVITATION_VALID_DAYS],
  )
  const id = rows[0]?.id
  if (!id) {
    throw new PublicError(409, 'already-invited', `${email} is invited already. Send that invitation again instead.`)
  }
  await recordAudit(tx, workspaceId, {
    action: 'invitation.created',
    actor,
    target: { kind: 'invitation', id, name: email },
    details: { role },
  })
  return { ...(await loadInvitation(tx, workspaceId, id)), token }
}

/** A new link, good for as long as a first one; the old one stops working. */
export async function renewInvitation(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<SentInvitation> {
  const actorRole = await lockWorkspace(tx, workspaceId, actor, 'admin')
  const invitation = await loadInvitation(tx, workspaceId, id)
  if (!mayManage(actorRole, invitation.role)) throw roleTooLow()
  const token = newToken()
  await tx.query(
    `UPDATE invitations SET token_hash = $3, inviter_id = $4, expires_at = app_now() + make_interval(days => $5)
     WHERE workspace_id = $1 AND id = $2 AND status = 'pending'`,
    [workspaceId, id, hashToken(token), actor.id, INVITATION_VALID_DAYS],
  )
  await recordAudit(tx, workspaceId, {
    action: 'invitation.resent',
    actor,
    target: { kind: 'invitation', id, name: invitation.email },
  })
  return { ...(await loadInvitation(tx, workspaceId, id)), token }
}

/** So that a newer mail, or the end of the invitation, can take this one back while it waits. */
export async function noteInvitationMail(
  tx: Sql,
  workspaceId: string,
  id: string,
  mailId: string | undefined,
): Promise<void> {
  await tx.query('UPDATE invitations SET mail_id = $3 WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    id,
    mailId ?? null,
  ])
}

/** Answers with its mail, which may still wait. */
export async function revokeInvitation(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
): Promise<Pick<InvitationRow, 'mailId'>> {
  const actorRole = await lockWorkspace(tx, workspaceId, actor, 'admin')
  const invitation = await loadInvitation(tx, workspaceId, id)
  if (!mayManage(actorRole, invitation.role)) throw roleTooLow()
  await tx.query(`UPDATE invitations SET status = 'canceled' WHERE workspace_id = $1 AND id = $2`, [workspaceId, id])
  await recordAudit(tx, workspaceId, {
    action: 'invitation.revoked',
    actor,
    target: { kind: 'invitation', id, name: invitation.email },
  })
  return invitation
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Locked: it may be being accepted at this moment. */
async function loadInvitation(tx: Sql, workspaceId: string, id: string) {
  const { rows } = await tx.query<InvitationRow & { workspaceName: string }>(
    `SELECT pending.*, w.name AS "workspaceName"
     FROM (${PENDING} AND i.id = $2 FOR UPDATE OF i) AS pending JOIN workspaces w ON w.id = $1`,
    [workspaceId, id],
  )
  const invitation = rows[0]
  if (!invitation) throw notFound()
  return invitation
}

async function mustNotBeMember(tx: Sql, workspaceId: string, email: string): Promise<void> {
  const { rowCount } = await tx.query(
    'SELECT FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND u.email = $2',
    [workspaceId, email],
  )
  if (rowCount) throw new PublicError(409, 'already-member', `${email} is in this workspace already.`)
}
