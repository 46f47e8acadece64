import { z } from 'zod'
import { AUDIT_ACTION_NAMES } from '#lib/tenancy/audit.ts'

/** An instant with its offset: which day it is for the person is the page's to know. */
const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

export const auditFilter = {
  actorId: z.uuid().optional(),
  action: z.enum(AUDIT_ACTION_NAMES).optional(),
  from: instant.optional(),
  to: instant.optional(),
}
