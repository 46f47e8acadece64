import type { AskProvider } from '#lib/email-scheduler/evidence.ts'
import { askProviderOf } from '#lib/mail/provider.ts'
import { database } from '#lib/platform/database.ts'
import { keyring } from './keyring.ts'
import { providersOf } from './providers.ts'

/** Asks the provider that an attempt went through what became of it. */
export function askProvider(): AskProvider {
  return askProviderOf(providersOf(database(), keyring()))
}
