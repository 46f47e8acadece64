import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { MailConnection, OutgoingMessage } from '#lib/mail/transport.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { openSmtp, type Surroundings } from './open-smtp.ts'
import type { OpeningStage } from './smtp-conversation.ts'
import type { SmtpSettings } from './smtp-settings.ts'
import type { TestStage, TestStep } from './test-steps.ts'

/** What a person is told of a test: how far it came, and why no further. */
export type SmtpTest =
  | { ok: true }
  | { ok: false; stage: TestStage; step: TestStep; code: string; sentence: string; providerText: string | null }

/** What else a test does, and who watches it. */
export type TestWish = {
  /** Told each step as the test comes to it. */
  reached?: (step: TestStep) => void
  /** Handed over once the login works. */
  message?: () => Promise<OutgoingMessage>
}

const CONNECT_MS_MAX = 20_000
const SUBMIT_MS_MAX = 30_000

/** Connects and logs in as the worker would, and sends nothing but the message that is asked for. */
export async function testSmtp(
  settings: SmtpSettings,
  password: string | undefined,
  now: () => Date,
  surroundings: Surroundings = {},
  { reached = () => undefined, message }: TestWish = {},
): Promise<SmtpTest> {
  const steps = new Steps(reached)
  const opened = await openSmtp(settings, password, now, { ...surroundings, reached: (stage) => steps.reach(stage) })
  if (!opened.ok) return failed(opened.stage, steps.of(opened.stage), opened.outcome)
  const connecting = await opened.transport.connect(CONNECT_MS_MAX)
  if (!connecting.ok) return failed(connecting.stage, steps.of(connecting.stage), connecting.outcome)
  if (message) reached('message')
  return message ? handOver(connecting.connection, await message()) : close(connecting.connection)
}

/** Which step a stage belongs to: servers greet before they encrypt, or after it. */
class Steps {
  readonly #reached: (step: TestStep) => void
  #hasEncrypted = false
  #last: TestStep | undefined

  constructor(reached: (step: TestStep) => void) {
    this.#reached = reached
  }

  reach(stage: OpeningStage): void {
    if (stage === 'encryption') this.#hasEncrypted = true
    const step = this.of(stage)
    if (step !== this.#last) this.#reached(step)
    this.#last = step
  }

  of(stage: OpeningStage): TestStep {
    if (stage === 'address') return 'name'
    if (stage === 'greeting') return this.#hasEncrypted ? 'login' : 'connection'
    return stage
  }
}

function close(connection: MailConnection): SmtpTest {
  connection.close()
  return { ok: true }
}

async function handOver(connection: MailConnection, message: OutgoingMessage): Promise<SmtpTest> {
  const outcome = await connection.submit(message, SUBMIT_MS_MAX)
  connection.close()
  return outcome.kind === 'accepted' ? { ok: true } : failed('message', 'message', outcome)
}

type Why = Pick<Exclude<SendOutcome, { kind: 'accepted' }>, 'code' | 'reason' | 'providerText'>

function failed(stage: TestStage, step: TestStep, { code, reason, providerText }: Why): SmtpTest {
  return { ok: false, stage, step, code, sentence: reason, providerText: providerText ?? null }
}

/** For those who want it to work before it is kept. */
export function refuseFailed(test: SmtpTest): void {
  if (test.ok) return
  const { sentence, ...details } = test
  throw new PublicError(422, 'mailbox-test-failed', sentence, details)
}
