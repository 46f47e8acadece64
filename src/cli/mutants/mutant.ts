/** One guarantee taken out of the source, and the test that must notice by an assertion. */
export type Change = {
  /** Below the clone's top folder. Where it does not exist, it is made, with `becomes`. */
  file: string
  /** Stands in the file exactly once. */
  find: string
  becomes: string
}

export type Mutant = Change & {
  name: string
  /** What would hold the guarantee alone, too: a second lock on the same door. */
  and?: readonly Change[]
  /** The name in full, with those of the groups round it. */
  test: { project: 'integration' | 'unit'; file: string; name: string }
}

export const MIGRATION = 'prisma/migrations/29990101000000_mutant/migration.sql'
export const QUEUE = 'src/lib/email-scheduler/send'

export const integration = (file: string, name: string): Mutant['test'] => ({
  project: 'integration',
  file: `src/__tests__/integration/${file}.test.ts`,
  name,
})
export const unit = (file: string, name: string): Mutant['test'] => ({
  project: 'unit',
  file: `src/__tests__/unit/${file}.test.ts`,
  name,
})

export const FINAL_CHECK = 'worker/final-check'
export const SEND_DUE = 'worker/send-due'
export const ADDRESSES = 'worker/addresses'
export const VERBS = 'email-scheduler/verbs'
