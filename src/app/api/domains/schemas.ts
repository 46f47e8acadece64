import { z } from 'zod'

export const domainOutput = z.object({
  id: z.string(),
  domain: z.string(),
  /** To be added at whoever keeps the domain's DNS. */
  record: z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() }),
  verifiedAt: z.date().nullable(),
  createdAt: z.date(),
})
