import { z } from 'zod'

export const prospectOutput = z.object({
  id: z.string(),
  email: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  company: z.string().nullable(),
  customFields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  timeZone: z.string().nullable(),
  pausedAt: z.date().nullable(),
  repliedAt: z.date().nullable(),
  bouncedAt: z.date().nullable(),
  unsubscribedAt: z.date().nullable(),
  archivedAt: z.date().nullable(),
  erasedAt: z.date().nullable(),
  mergedIntoId: z.string().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
})

/** Longer than any address: anything else is no address anyway, and is told so in words. */
export const addressInput = z.string().max(1_000)

export const searchInput = z.string().trim().min(1).max(200).optional()

export const pageInput = {
  cursor: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
}
