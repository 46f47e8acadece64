/** From the least to the most; each may do all that those before it may. */
export const ROLES = ['member', 'admin', 'owner'] as const

export type Role = (typeof ROLES)[number]

export function isAtLeast(role: Role, minimum: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minimum)
}

/** An admin manages admins and members; owners are made and removed by owners alone. */
export function mayManage(actor: Role, subject: Role): boolean {
  return actor === 'owner' || (actor === 'admin' && subject !== 'owner')
}
