export type SmtpReply = {
  code: number
  /** Like 5.1.1 (RFC 3463), where the server gives one. */
  enhanced: string | undefined
  /** As it came, all lines. */
  text: string
}

/**
 * Undefined where a server says something that is not a reply. Lines that disagree about the code are none either: a 250
 * that ends as a 550 says neither yes nor no.
 */
export function readReply(text: string | undefined): SmtpReply | undefined {
  const code = /^[2-5]\d\d(?=[ \n-]|$)/.exec(text ?? '')?.[0]
  if (text === undefined || code === undefined) return undefined
  const lines = text.split('\n')
  const isWhole = lines.every((line, index) =>
    index < lines.length - 1 ? line.startsWith(`${code}-`) : line === code || line.startsWith(`${code} `),
  )
  if (!isWhole) return undefined
  // Gmail says it again on every line, others only on the last.
  const enhanced = /^[245]\d\d[ -]([245]\.\d{1,3}\.\d{1,3})\b/m.exec(text)?.[1]
  return { code: Number(code), enhanced, text }
}

export function isRefusalReply(reply: SmtpReply | undefined): reply is SmtpReply {
  return reply !== undefined && reply.code >= 400
}

/** It refuses to hear the password, or anything, in the clear (RFC 4954, RFC 3207): nothing is wrong with the password. */
export function wantsEncryption({ code, text }: Pick<SmtpReply, 'code' | 'text'>): boolean {
  return code === 538 || (code === 530 && /\b(?:start)?tls\b|\bssl\b|encrypt/i.test(text))
}

const TEXT_LENGTH_MAX = 1_000

/** What a provider said, fit to be kept and shown: bounded, printable, without the secrets that a server may repeat. */
export function providerWords(text: string, secrets: readonly string[]): string {
  const hidden = secrets.filter(Boolean).reduce((words, secret) => words.replaceAll(secret, '[hidden]'), text)
  const printable = hidden.replace(/[^\P{Cc}\n]/gu, ' ').trim()
  return printable.length > TEXT_LENGTH_MAX ? `${printable.slice(0, TEXT_LENGTH_MAX)}…` : printable
}

/** The forms in which a login travels, none of which may be kept. */
export function secretsOf(login: { username: string; password: string } | undefined): string[] {
  if (!login) return []
  const { username, password } = login
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')
  // The longest first: a password could be part of its own encoding.
  return [base64(`\0${username}\0${password}`), base64(password), password].sort((a, b) => b.length - a.length)
}
