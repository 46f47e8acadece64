import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'

/** The names by which the first description of the product calls its parts; each is kept where the thing is. */
const NAMES = [
  ...['generateIdempotencyKey', 'parseIdempotencyKey', 'scheduleEmailsForCampaign', 'SchedulingResult'],
  ...['getDailySentCount', 'getRemainingQuota', 'getNextAvailableSlot', 'isWithinSendingWindow', 'getNextSendingSlot'],
  ...['calculateRampUpQuota', 'handleEmailFailure', 'isRetryableError', 'assertWorkspaceAccess', 'mapScheduledEmail'],
  ...['ApiResponse', 'MAX_RETRY_ATTEMPTS', 'RETRY_BACKOFF_MINUTES', 'RANDOM_DELAY_RANGE', 'RETRYABLE_ERROR_CODES'],
  ...['NON_RETRYABLE_ERROR_CODES', 'ScheduledEmailResponse', 'CreateScheduledEmailInput'],
]

const exported = new Map<string, string[]>()
for (const { path, text } of sourceFiles('src/lib')) {
  for (const [, name = ''] of text.matchAll(/^export (?:async )?(?:function|const|type|interface|class) (\w+)/gm))
    exported.set(name, [...(exported.get(name) ?? []), path])
}

test.each(NAMES)('%s is exported by one module', (name) => {
  expect(exported.get(name) ?? []).toHaveLength(1)
})

test('a function has its name to itself, so that reading one never means another', () => {
  const functions = new Map<string, string[]>()
  for (const { path, text } of sourceFiles('src/lib').filter((file) => !file.path.includes('/generated/')))
    for (const [, name = ''] of text.matchAll(/^export (?:async )?function (\w+)/gm))
      functions.set(name, [...(functions.get(name) ?? []), path])
  expect([...functions].filter(([, paths]) => paths.length > 1)).toEqual([])
})
