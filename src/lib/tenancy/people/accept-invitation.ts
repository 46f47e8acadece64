import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { Role } from '#lib/tenancy/roles.ts'
import { createPerson } from './create-person.ts'
import { hashToken } from './invitations.ts'

export type InvitationPreview = {
  email: string
  role: Role
  workspaceName: string
  inviterName: string
  /** Whether the invited person signs in, or chooses a name and a password. */
  hasAccount: boolean
}

/** What the holder of a link may know before accepting. */
export async function previewInvitation(sql: Sql, token: string): Promise<InvitationPreview> {
  const { rows } = await sql.query<InvitationPreview>(
    `SELECT i.email, i.role, w.name AS "workspaceName", u.name AS "inviterName",
            EXISTS (SELECT FROM users invited WHERE invited.email = i.email) AS "hasAccount"
     FROM invitations i JOIN workspaces w ON w.id = i.workspace_id JOIN users u ON u.id = i.inviter_id
     WHERE i.token_hash = $1 AND i.status = 'pending' AND i.expires_at > app_now()`,
    [hashToken(token)],
  )
  const preview = rows[0]
  if (!preview) throw invitationIsSpent()
  return preview
}

type Origin = Pick<Actor, 'address' | 'requestId'>

/** By a signed-in person, and only under the address that was invited. */
export async function acceptInvitation(
  tx: Sql,
  token: string,
  actor: Actor,
  sessionId: string,
): Promise<{ workspaceId: string }> {
  const invitation = await takeInvitation(tx, token)
  if (invitation.email !== actor.email) {
    throw new PublicError(
      403,
      'other-address',
      `This invitation is for ${invitation.email}, and you are signed in as ${actor.email}. Sign out and open the link again.`,
    )
  }
  await join(tx, invitation, actor)
  await tx.query('UPDATE sessions SET active_workspace_id = $2 WHERE id = $1', [sessionId, invitation.workspaceId])
  return { workspaceId: invitation.workspaceId }
}

/** By a new person. The link came by mail, so that the address is known to be theirs. */
export async function acceptInvitationAsNewPerson(
  tx: Sql,
  token: string,
  { name, passwordHash }: { name: string; passwordHash: string },
  origin: Origin,
): Promise<{ workspaceId: string; email: string }> {
  const invitation = await takeInvitation(tx, token)
  const { email, workspaceId } = invitation
  const id = await createPerson(tx, { name, email, passwordHash }, { founder: false, emailVerified: true })
  if (!id) {
    throw new PublicError(409, 'sign-in-first', `${email} has an account already. Sign in, then open the link again.`)
  }
  await join(tx, invitation, { id, email, ...origin })
  return { workspaceId, email }
}

type TakenInvitation = { id: string; workspaceId: string; email: string; role: Role }

/** Of two at once, the second waits for the row and finds it accepted. */
async function takeInvitation(tx: Sql, token: string): Promise<TakenInvitation> {
  const { rows } = await tx.query<TakenInvitation>(
    `UPDATE invitations SET status = 'accepted'
     WHERE token_hash = $1 AND status = 'pending' AND expires_at > app_now()
     RETURNING id, workspace_id AS "workspaceId", email, role`,
    [hashToken(token)],
  )
  const invitation = rows[0]
  if (!invitation) throw invitationIsSpent()
  return invitation
}

async function join(tx: Sql, invitation: TakenInvitation, actor: Actor): Promise<void> {
  const { rowCount } = await tx.query(
    `INSERT INTO members (id, workspace_id, user_id, role) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, user_id) DO NOTHING`,
    [newId(), invitation.workspaceId, actor.id, invitation.role],
  )
  if (rowCount === 0) return // they came in by another way since then, and keep the role they have
  await recordAudit(tx, invitation.workspaceId, {
    action: 'member.joined',
    actor,
    target: { kind: 'invitation', id: invitation.id, name: invitation.email },
    details: { role: invitation.role },
  })
}

const invitationIsSpent = () =>
  new PublicError(
    410,
    'link-spent',
    'This invitation has been used, revoked or has expired. Ask the person who invited you to send it again.',
  )
