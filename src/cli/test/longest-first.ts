import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Vitest begins with what took longest the last time, and in a fresh clone with what has most bytes. Begun late, one of
 * these would go on alone when everything else is over.
 */
export const LONGEST = [
  'integration/admin/large-bulks.test.ts',
  'integration/demo.test.ts',
  'integration/campaigns/turns.test.ts',
  'integration/start.test.ts',
  'integration/worker/put-back.test.ts',
  'integration/audience/import-crash.test.ts',
  'integration/security/api-keys.test.ts',
  'integration/campaigns/people.test.ts',
  'journeys/pages/people.test.ts',
  'journeys/pages/campaigns.test.ts',
  'journeys/pages/account.test.ts',
  'journeys/sending/bulk-retry.test.ts',
  'journeys/document.test.ts',
  'journeys/fuzz.test.ts',
  'journeys/sending/held.test.ts',
  'journeys/weight.test.ts',
]

/** Begins with those that are known to take longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`))
      return found < 0 ? LONGEST.length : found
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}
