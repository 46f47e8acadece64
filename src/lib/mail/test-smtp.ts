import { PublicError } from '#lib/platform/api-response.ts'
import { openSmtp, type Surroundings } from './open-smtp.ts'
import type { OpeningStage } from './smtp-conversation.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/** What a person is told of a test: how far it came, and why no further. */
export type SmtpTest =
  | { ok: true }
  | { ok: false; stage: OpeningStage; code: string; sentence: string; providerText: string | null }

const CONNECT_MS_MAX = 20_000

/** Connects and logs in as the worker would, and sends nothing. */
export async function testSmtp(
  settings: SmtpSettings,
  password: string | undefined,
  now: () => Date,
  surroundings?: Surroundings,
): Promise<SmtpTest> {
  const opened = await openSmtp(settings, password, now, surroundings)
  if (!opened.ok) return failed(opened)
  const connecting = await opened.transport.connect(CONNECT_MS_MAX)
  if (!connecting.ok) return failed(connecting)
  connecting.connection.close()
  return { ok: true }
}

type Failed = { stage: OpeningStage; outcome: { code: string; reason: string; providerText?: string } }

function failed({ stage, outcome: { code, reason, providerText } }: Failed): SmtpTest {
  return { ok: false, stage, code, sentence: reason, providerText: providerText ?? null }
}

/** For those who want it to work before it is kept. */
export function refuseFailed(test: SmtpTest): void {
  if (test.ok) return
  const { sentence, ...details } = test
  throw new PublicError(422, 'mailbox-test-failed', sentence, details)
}
