import { z } from 'zod'
import { ENROLMENT_STATES } from '#lib/campaigns/ledger.ts'
import { STATUSES } from '#lib/email-scheduler/states.ts'
import { ARCHIVED_CHOICES } from '#lib/platform/rows/archived.ts'
import { ROLES } from '#lib/tenancy/roles.ts'

/** Shapes that several operations take or answer with. */
export const done = z.object({ done: z.literal(true) })
export const DONE = { done: true } as const

export const roleSchema = z.enum(ROLES, { error: 'The role is member, admin or owner.' })

export const emailStatus = z.enum(STATUSES as [(typeof STATUSES)[number], ...typeof STATUSES])

export const count = z.number()

/** A count under each of these names. */
export const oneOfEach = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>

/** The two ledgers, of a campaign or of the workspace. */
export const enrolmentLedger = z.object({ ...oneOfEach(ENROLMENT_STATES), total: count })
export const emailLedger = z.object({
  ...oneOfEach(emailStatus.options),
  total: count,
  /** Planned enrolments × their steps. */
  wanted: count,
})

/** In the small letters that the database writes it in: code compares ids, and two that differ by case are the same one. */
export const idText = z.uuid().toLowerCase()

export const idParams = z.object({ id: idText })

/** The largest that a column of whole numbers takes: above it the database would refuse what a schema has let in. */
export const INTEGER_MAX = 2_147_483_647

/** Of every list: where the last page ended, and how many may come. */
export const pageFields = { cursor: idText.optional(), limit: z.coerce.number().int().min(1).max(200).default(50) }

/** Of lists of what can be archived: without the archived, those alone, or all. */
export const archivedField = { archived: z.enum(ARCHIVED_CHOICES).default('false') }

/** A date of the calendar, as Postgres knows them: it has no year 0. */
export const localDate = z.iso
  .date({ error: 'A date is needed, like 2026-11-20.' })
  .refine((date) => date >= '0001', 'There is no year 0.')

/** An instant with its offset: which moment "9 o'clock" is would be a guess. */
export const instant = z.iso
  .datetime({ offset: true, error: 'A moment is needed with its offset, like 2026-11-20T09:00:00+01:00.' })
  .transform((text) => new Date(text))

export const searchInput = z.string().trim().min(1).max(200).optional()

/** Longer than any address: anything else is no address anyway, and is told so in words. */
export const addressText = z.string().max(1_000)

/** The secret of a link; anything longer than ours is not ours. */
export const tokenSchema = z.string().min(1).max(200)
