/** TLS from the first byte, TLS after STARTTLS, or none at all: only for hosts that the environment allows. */
export const SMTP_SECURITIES = ['STARTTLS', 'TLS', 'NONE'] as const
export type SmtpSecurity = (typeof SMTP_SECURITIES)[number]

/** Of the system mailbox without a password besides: encrypted where the server offers it. */
export type AnySecurity = SmtpSecurity | 'WHERE_OFFERED'

export type SmtpServer = {
  /** As a person wrote it: what the certificate is held to. */
  host: string
  /** Where it was found to be, and found to be harmless: what is connected to, and nothing else. */
  addresses: readonly string[]
  port: number
  security: AnySecurity
  login?: { username: string; password: string }
  /** Certificates to trust besides those of the system. */
  ca?: string
}
