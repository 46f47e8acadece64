import { z } from 'zod'
import { readKeyring } from './keyring.ts'

/** Every variable the product reads, with the sentence a person sees when it is missing or malformed. */
const environmentSchema = z
  .object({
    DATABASE_URL: z
      .string({
        error:
          'DATABASE_URL is missing: set it to the address of your Postgres, like postgresql://user:password@host:5432/sendonce.',
      })
      .refine(
        isPostgresUrl,
        'DATABASE_URL is not a Postgres address; it should look like postgresql://user:password@host:5432/sendonce.',
      ),
    DIRECT_URL: z
      .string()
      .refine(
        isPostgresUrl,
        'DIRECT_URL is not a Postgres address; it should look like postgresql://user:password@host:5432/sendonce.',
      )
      .optional(),
    DATABASE_POOL_MAX: wholeNumber('DATABASE_POOL_MAX', 2, 200).optional(),
    DATABASE_POOLER: z
      .enum(['transaction'], { error: 'DATABASE_POOLER is not transaction: leave it unset, and it is found out.' })
      .optional(),
    CRON_SECRET: z
      .string({
        error: 'CRON_SECRET is missing: set it to at least 16 random characters; Vercel sends it with every cron call.',
      })
      .min(16, 'CRON_SECRET is too short: use at least 16 random characters.'),
    METRICS_SECRET: z
      .string()
      .min(16, 'METRICS_SECRET is too short: use at least 16 random characters, or leave it unset.')
      .optional(),
    APP_URL: z
      .string({
        error:
          'APP_URL is missing: set it to the address at which people open Sendonce, like https://mail.example.com.',
      })
      .refine(isWebUrl, 'APP_URL is not a web address; it should look like https://mail.example.com.')
      .refine(
        (value) => !isWebUrl(value) || isOriginAlone(value),
        'APP_URL holds more than the address itself (a path, a query, a user name); it should look like https://mail.example.com.',
      ),
    AUTH_SECRET: z
      .string({
        error: 'AUTH_SECRET is missing: set it to at least 32 random characters; it signs the cookies of sessions.',
      })
      .min(32, 'AUTH_SECRET is too short: use at least 32 random characters.'),
    ENCRYPTION_KEYS: z
      .string({
        error:
          'ENCRYPTION_KEYS is missing: stored credentials are encrypted with it. Make a key with npm run keys -- generate, and keep a copy: without it they cannot be read again.',
      })
      .superRefine((value, context) => {
        const reading = readKeyring(value)
        if (!reading.ok) context.addIssue({ code: 'custom', message: reading.problem })
      }),
    SYSTEM_MAIL_URL: z
      .string()
      .refine(
        isSmtpUrl,
        'SYSTEM_MAIL_URL is not the address of a mail server; it should look like smtps://user:password@host:465 (or smtp:// for port 587).',
      )
      .optional(),
    SYSTEM_MAIL_FROM: z
      .email({ error: 'SYSTEM_MAIL_FROM is not an email address; it should look like sendonce@example.com.' })
      .optional(),
    SEND_CONNECTIONS: wholeNumber('SEND_CONNECTIONS', 1, 500).default(10),
    LEASE_SECONDS: wholeNumber('LEASE_SECONDS', 5, 3600).default(120),
    SUBMIT_SECONDS: wholeNumber('SUBMIT_SECONDS', 1, 600).default(45),
    INLINE_SECONDS: wholeNumber('INLINE_SECONDS', 1, 60).default(5),
    DISPATCH: z
      .enum(['database', 'bullmq', 'rabbitmq'], {
        error: 'DISPATCH is not one of database, bullmq, rabbitmq: leave it unset, and no broker is needed.',
      })
      .default('database'),
    DISPATCH_URL: z.string().optional(),
    DISPATCH_QUEUE: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9.-]{0,59}$/,
        'DISPATCH_QUEUE is not a name of small letters, digits, dots and hyphens, at most 60 long.',
      )
      .default('sendonce'),
    WITNESS_DIR: z.string().optional(),
    DEMO_DIR: z.string().optional(),
    SMTP_ALLOW_PRIVATE_HOSTS: hostList('SMTP_ALLOW_PRIVATE_HOSTS'),
    WEBHOOK_ALLOW_PRIVATE_HOSTS: hostList('WEBHOOK_ALLOW_PRIVATE_HOSTS'),
    GOOGLE_CLIENT_ID: z.string().optional(),
    GOOGLE_CLIENT_SECRET: z.string().optional(),
    FAKE_GOOGLE_URL: z
      .string()
      .refine(
        isOnThisMachine,
        'FAKE_GOOGLE_URL plays Google for tests and the demo: only http://127.0.0.1 with a port may stand there. Leave it unset.',
      )
      .optional(),
    TRUSTED_PROXIES: wholeNumber('TRUSTED_PROXIES', 0, 10).default(0),
    VERCEL: z.string().optional(),
    VERCEL_URL: z.string().optional(),
    VERCEL_BRANCH_URL: z.string().optional(),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'LOG_LEVEL is not one of fatal, error, warn, info, debug, trace, silent.',
      })
      .default('info'),
    CATCHER_URL: z
      .string()
      .refine(isWebUrl, 'CATCHER_URL is not a web address; leave it unset if you run no mail catcher.')
      .optional(),
  })
  // Numbers that are malformed have been named already; compared, they are neither more nor less.
  .refine((env) => !(env.SUBMIT_SECONDS * 2 > env.LEASE_SECONDS), {
    error: 'LEASE_SECONDS must be at least twice SUBMIT_SECONDS: a lease outlives connecting and handing over.',
    when: () => true,
  })
  .superRefine(
    (env, context) => {
      const problem = problemOfBroker(env)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    },
    { when: () => true },
  )
  .refine((env) => !env.SYSTEM_MAIL_URL === !env.SYSTEM_MAIL_FROM, {
    error: 'SYSTEM_MAIL_URL and SYSTEM_MAIL_FROM belong together: set both, or neither.',
    // Said beside the other problems, not only once they are mended.
    when: () => true,
  })
  .refine((env) => !env.GOOGLE_CLIENT_ID === !env.GOOGLE_CLIENT_SECRET, {
    error: 'GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET belong together: set both, or neither.',
    when: () => true,
  })
  // What a public installation sent would go to nobody, and be shown as sent.
  .refine((env) => !env.FAKE_GOOGLE_URL || (!env.VERCEL && isForOneself(env.APP_URL)), {
    error:
      'FAKE_GOOGLE_URL plays Google for tests and the demo, and is refused where others can open Sendonce. Leave it unset.',
    when: () => true,
  })

/** Their names, for the documentation to be held to. */
export const environmentVariables = Object.keys(environmentSchema.shape)

/**
 * Names that were probably meant to be one of ours which is not set. What is not known is nobody's to refuse: an environment
 * holds much that belongs to others.
 */
export function misspeltVariables(
  names: readonly string[],
  known: readonly string[] = environmentVariables,
): { name: string; meant: string }[] {
  const missing = known.filter((one) => !names.includes(one))
  return names.flatMap((name) => {
    if (known.includes(name)) return []
    const near = missing
      .map((meant) => ({ name, meant, apart: lettersApart(plainName(name), plainName(meant)) }))
      .filter(({ meant, apart }) => apart <= (meant.length < 9 ? 1 : 2))
      .sort((one, other) => one.apart - other.apart)[0]
    return near ? [{ name, meant: near.meant }] : []
  })
}

const plainName = (name: string) =>
  name
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')

/** Levenshtein's distance. */
export function lettersApart(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? Number.POSITIVE_INFINITY
}

export type Environment = z.infer<typeof environmentSchema>

export type EnvironmentReading = { ok: true; env: Environment } | { ok: false; problems: string[] }

/** Empty counts as unset: that is how hosting panels store a variable that was cleared. */
export function readEnvironment(source: Record<string, string | undefined>): EnvironmentReading {
  const set = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = environmentSchema.safeParse(set)
  if (parsed.success) return { ok: true, env: parsed.data }
  return { ok: false, problems: parsed.error.issues.map((issue) => issue.message) }
}

let environment: Environment | undefined

/** The environment of this process. Boot has checked it already (instrumentation.ts), so a failure here is a bug. */
export function env(): Environment {
  if (environment) return environment
  const reading = readEnvironment(process.env)
  if (!reading.ok) throw new Error(reading.problems.join(' '))
  environment = reading.env
  return environment
}

function hostList(name: string) {
  return z
    .string()
    .regex(
      /^\s*[\w.:-]+(\/\d{1,3})?\s*(,\s*[\w.:-]+(\/\d{1,3})?\s*)*$/,
      `${name} is not a list of hosts; it should look like relay.internal, 10.1.0.0/16 (or true, for all).`,
    )
    .optional()
}

function wholeNumber(name: string, min: number, max: number) {
  const sentence = `${name} is not a whole number from ${min} to ${max}.`
  return z.coerce.number({ error: sentence }).int(sentence).min(min, sentence).max(max, sentence)
}

function isPostgresUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && (url.hostname !== '' || url.searchParams.has('host'))
}

/** Where a broker was chosen, its address must be there and be one of its own. Nothing of it is repeated: it holds a password. */
function problemOfBroker({
  DISPATCH,
  DISPATCH_URL,
}: {
  DISPATCH?: unknown
  DISPATCH_URL?: unknown
}): string | undefined {
  if (DISPATCH !== 'bullmq' && DISPATCH !== 'rabbitmq') return undefined
  const { server, example, protocol } = BROKERS[DISPATCH]
  if (typeof DISPATCH_URL !== 'string')
    return `DISPATCH_URL is missing: DISPATCH=${DISPATCH} needs the address of your ${server}, like ${example}.`
  const url = URL.parse(DISPATCH_URL)
  if (url !== null && protocol.test(url.protocol) && url.hostname !== '') return undefined
  return `DISPATCH_URL is not the address of a ${server}, which DISPATCH=${DISPATCH} needs; it should look like ${example}.`
}

const BROKERS = {
  bullmq: { server: 'Redis', example: 'redis://:password@host:6379/0 (rediss:// with TLS)', protocol: /^rediss?:$/ },
  rabbitmq: {
    server: 'RabbitMQ',
    example: 'amqp://user:password@host:5672 (amqps:// with TLS)',
    protocol: /^amqps?:$/,
  },
} as const

function isSmtpUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}

function isWebUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol)
}

function isOriginAlone(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && url.href === `${url.origin}/`
}

function isOnThisMachine(value: string): boolean {
  const url = URL.parse(value)
  return url?.protocol === 'http:' && url.hostname === '127.0.0.1' && url.port !== ''
}

/** Names that no other machine can open: this one's own, and those that never exist (RFC 6761). */
function isForOneself(appUrl: string): boolean {
  const host = URL.parse(appUrl)?.hostname ?? ''
  return ['localhost', '127.0.0.1', '[::1]'].includes(host) || /\.(?:test|localhost)$/.test(host)
}
