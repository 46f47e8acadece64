import pino from 'pino'

export type Log = pino.Logger

/** Anything under these names is a secret or a person's words, at whatever depth it is logged. */
const SECRET_KEYS = [
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'credentials',
  'accessToken',
  'refreshToken',
  'apiKey',
  'body',
  'bodyText',
  'bodyHtml',
  'html',
  'text',
]

export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[hidden]' },
    serializers: { error: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

export const log = createLog(process.env.LOG_LEVEL || 'info')

/** An error as the log keeps it: connection strings lose their password. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: hidePasswords(String(error)) }
  return {
    type: error.name,
    message: hidePasswords(error.message),
    code: 'code' in error ? error.code : undefined,
    stack: hidePasswords(error.stack ?? ''),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  }
}

export function hidePasswords(text: string): string {
  return text.replace(/(\w+:\/\/[^\s:/@]*):[^\s@/]+@/g, '$1:[hidden]@').replace(/(Bearer\s+)\S+/gi, '$1[hidden]')
}
