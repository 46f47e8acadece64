import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { mayManage, type Role } from '#lib/tenancy/roles.ts'
import { lockWorkspace, roleTooLow } from '#lib/tenancy/workspaces/lock-workspace.ts'

export type MemberRow = { id: string; personId: string; name: string; email: string; role: Role; joinedAt: Date }

export async function listMembers(sql: Sql, workspaceId: string): Promise<MemberRow[]> {
  const { rows } = await sql.query<MemberRow>(`${MEMBERS} ORDER BY lower(u.name), m.id`, [workspaceId])
  return rows
}

/** One of them, by who they are; undefined for who is not, or not any more. */
export async function memberToTell(
  sql: Sql,
  workspaceId: string,
  personId: string,
): Promise<{ name: string; email: string; workspaceName: string } | undefined> {
  const { rows } = await sql.query<{ name: string; email: string; workspaceName: string }>(
    `SELECT u.name, u.email, w.name AS "workspaceName" FROM members m JOIN users u ON u.id = m.user_id
     JOIN workspaces w ON w.id = m.workspace_id WHERE m.workspace_id = $1 AND u.id = $2`,
    [workspaceId, personId],
  )
  return rows[0]
}

const MEMBERS = `SELECT m.id, u.id AS "personId", u.name, u.email, m.role, m.created_at AS "joinedAt"
  FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1`

export async function changeRole(
  tx: Sql,
  workspaceId: string,
  memberId: string,
  role: Role,
  actor: Actor,
): Promise<MemberRow> {
  const actorRole = await lockWorkspace(tx, workspaceId, actor, 'admin')
  const member = await loadMember(tx, workspaceId, memberId)
  if (!mayManage(actorRole, member.role) || !mayManage(actorRole, role)) throw roleTooLow()
  if (member.role === role) return member
  if (member.role === 'owner') await mustNotBeLastOwner(tx, workspaceId)
  await tx.query('UPDATE members SET role = $3 WHERE workspace_id = $1 AND id = $2', [workspaceId, memberId, role])
  if (role === 'member') await revokeInvitationsBy(tx, workspaceId, member.personId)
  await recordAudit(tx, workspaceId, {
    action: 'member.role-changed',
    actor,
    target: { kind: 'member', id: member.id, name: member.email },
    details: { before: member.role, after: role },
  })
  return { ...member, role }
}

/** By a person who manages them. */
export async function removeMember(tx: Sql, workspaceId: string, memberId: string, actor: Actor): Promise<void> {
  const actorRole = await lockWorkspace(tx, workspaceId, actor, 'admin')
  const member = await loadMember(tx, workspaceId, memberId)
  if (!mayManage(actorRole, member.role)) throw roleTooLow()
  await takeOut(tx, workspaceId, member, actor, 'member.removed')
}

/** By themselves, whatever their role. */
export async function leaveWorkspace(tx: Sql, workspaceId: string, actor: Actor): Promise<void> {
  await lockWorkspace(tx, workspaceId, actor, 'member')
  const { rows } = await tx.query<MemberRow>(`${MEMBERS} AND m.user_id = $2`, [workspaceId, actor.id])
  const member = rows[0]
  if (!member) throw notFound()
  await takeOut(tx, workspaceId, member, actor, 'member.left')
}

async function takeOut(
  tx: Sql,
  workspaceId: string,
  member: MemberRow,
  actor: Actor,
  action: 'member.removed' | 'member.left',
): Promise<void> {
  if (member.role === 'owner') await mustNotBeLastOwner(tx, workspaceId)
  await tx.query('DELETE FROM members WHERE workspace_id = $1 AND id = $2', [workspaceId, member.id])
  await revokeInvitationsBy(tx, workspaceId, member.personId)
  await recordAudit(tx, workspaceId, {
    action,
    actor,
    target: { kind: 'member', id: member.id, name: member.email },
    details: { role: member.role },
  })
}

async function loadMember(tx: Sql, workspaceId: string, memberId: string): Promise<MemberRow> {
  const { rows } = await tx.query<MemberRow>(`${MEMBERS} AND m.id = $2`, [workspaceId, memberId])
  const member = rows[0]
  if (!member) throw notFound()
  return member
}

/** Said in words here; the database's trigger holds it against everything else. */
async function mustNotBeLastOwner(tx: Sql, workspaceId: string): Promise<void> {
  const { rows } = await tx.query<{ owners: number }>(
    `SELECT count(*) AS owners FROM members WHERE workspace_id = $1 AND role = 'owner'`,
    [workspaceId],
  )
  if (rows[0] && rows[0].owners > 1) return
  throw new PublicError(409, 'last-owner', 'This is the only owner. Make another member an owner first.')
}

/** Who may invite no longer leaves no doors open behind them, for a second address of theirs, say. */
async function revokeInvitationsBy(tx: Sql, workspaceId: string, personId: string): Promise<void> {
  await tx.query(
    `UPDATE invitations SET status = 'canceled' WHERE workspace_id = $1 AND inviter_id = $2 AND status = 'pending'`,
    [workspaceId, personId],
  )
}
