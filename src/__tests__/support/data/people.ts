import { newId } from '#lib/platform/id.ts'
import type { Actor } from '#lib/tenancy/person.ts'

/** Who does what a test does. */
export const actor: Actor = { id: newId(), email: 'olga@acme.test' }
