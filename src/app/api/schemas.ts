import { z } from 'zod'
import { ROLES } from '#lib/tenancy/roles.ts'

/** Shapes that several routes answer with. */
export const done = z.object({ done: z.literal(true) })
export const DONE = { done: true } as const

export const roleSchema = z.enum(ROLES, { error: 'The role is member, admin or owner.' })

export const idParams = z.object({ id: z.uuid() })

/** Of every list: where the last page ended, and how many may come. */
export const pageFields = { cursor: z.uuid().optional(), limit: z.coerce.number().int().min(1).max(200).default(50) }
export const pageQuery = z.object(pageFields)

export const personOutput = z.object({ id: z.string(), name: z.string(), email: z.string() })

export const workspaceOutput = z.object({ id: z.string(), name: z.string(), timeZone: z.string() })

export const memberOutput = z.object({
  id: z.string(),
  personId: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
  joinedAt: z.date(),
})

export const invitationOutput = z.object({
  id: z.string(),
  email: z.string(),
  role: roleSchema,
  inviterName: z.string(),
  createdAt: z.date(),
  expiresAt: z.date(),
  expired: z.boolean(),
})

/** An invitation stays when its mail does not go out; the page then offers to send it again. */
export const sentInvitationOutput = z.object({ invitation: invitationOutput, mailSent: z.boolean() })

/** The secret of a link; anything longer than ours is not ours. */
export const tokenSchema = z.string().min(1).max(200)
