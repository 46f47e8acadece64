import { mayManage, ROLES, type Role } from '#lib/tenancy/roles.ts'

export const ROLE_WORD: Record<Role, string> = { member: 'Member', admin: 'Admin', owner: 'Owner' }

/** What a person with the role may do, as a whole sentence about "they". */
export const ROLE_SENTENCE: Record<Role, string> = {
  member: 'Works in the workspace, and cannot change its settings or its people.',
  admin: 'Also changes settings, invites and removes people, and reads the audit log.',
  owner: 'Also makes and removes other owners.',
}

/** The roles that a person may give; the server holds to the same rule. */
export function rolesGivenBy(actor: Role): Role[] {
  return ROLES.filter((role) => mayManage(actor, role))
}

export function roleOptions(roles: readonly Role[]): { value: Role; label: string }[] {
  return roles.map((role) => ({ value: role, label: ROLE_WORD[role] }))
}
