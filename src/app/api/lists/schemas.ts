import { z } from 'zod'

export const listNameInput = z
  .string()
  .trim()
  .min(1, 'A list needs a name.')
  .max(100, 'The name of a list has at most 100 characters.')
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'The name of a list is one line of text.')

export const listOutput = z.object({
  id: z.string(),
  name: z.string(),
  members: z.number(),
  archivedAt: z.date().nullable(),
  createdAt: z.date(),
})
