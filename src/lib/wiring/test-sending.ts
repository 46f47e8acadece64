import type { TestSendBy } from '#lib/mail/message/test-send.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { keyring } from './keyring.ts'
import { providersOf } from './providers.ts'

/** What a person sends a test with. */
export function testSendingBy({ person, actor }: Pick<TestSendBy, 'person' | 'actor'>): TestSendBy {
  return {
    appUrl: env().APP_URL,
    keyring: keyring(),
    person,
    actor,
    providers: providersOf(database(), keyring()),
  }
}
