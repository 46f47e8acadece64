import type { SmtpSecurity } from '#lib/mail/smtp/smtp-server.ts'

/** What is known of a mail service, so that it need not be looked up. */
export interface MailService {
  key: string
  name: string
  server: { host: string; port: number; security: SmtpSecurity }
  /** Each region has a server of its own, so that one has to look at its name. */
  hasRegions?: true
  /** What stands as the user name; by default the address itself. */
  username?: string
  /** Where the password comes from. */
  password: string
  /** What it lets one mailbox send within 24 hours, as it says itself. */
  rollingLimit: number
}

export const MAIL_SERVICES: readonly MailService[] = [
  {
    key: 'google',
    name: 'Google Workspace',
    server: { host: 'smtp.gmail.com', port: 465, security: 'TLS' },
    password:
      'An app password, not the one you sign in with: Google account, Security, 2-Step Verification, App passwords. It has 16 letters.',
    rollingLimit: 2000,
  },
  {
    key: 'microsoft',
    name: 'Microsoft 365',
    server: { host: 'smtp.office365.com', port: 587, security: 'STARTTLS' },
    password:
      'The password of the account, or an app password where two-step sign-in is on. An administrator has to allow “Authenticated SMTP” for the mailbox first.',
    rollingLimit: 10_000,
  },
  {
    key: 'fastmail',
    name: 'Fastmail',
    server: { host: 'smtp.fastmail.com', port: 465, security: 'TLS' },
    password: 'An app password with access to SMTP: Settings, Privacy & Security, App passwords.',
    rollingLimit: 4000,
  },
  {
    key: 'zoho',
    name: 'Zoho Mail',
    server: { host: 'smtppro.zoho.com', port: 465, security: 'TLS' },
    hasRegions: true,
    password:
      'An app password: Zoho account, Security, App passwords. In Europe the server is smtppro.zoho.eu, in India smtppro.zoho.in.',
    rollingLimit: 500,
  },
  {
    key: 'ses',
    name: 'Amazon SES',
    server: { host: 'email-smtp.eu-west-1.amazonaws.com', port: 587, security: 'STARTTLS' },
    hasRegions: true,
    username: '',
    password:
      'SMTP credentials, which are not your access keys: SES console, SMTP settings, Create SMTP credentials. Put your region into the server’s name.',
    rollingLimit: 50_000,
  },
  {
    key: 'postmark',
    name: 'Postmark',
    server: { host: 'smtp-broadcasts.postmarkapp.com', port: 587, security: 'STARTTLS' },
    username: '',
    password: 'The access key and secret key of a broadcast stream: Servers, your server, the stream, Settings.',
    rollingLimit: 100_000,
  },
  {
    key: 'mailgun',
    name: 'Mailgun',
    server: { host: 'smtp.mailgun.org', port: 587, security: 'STARTTLS' },
    hasRegions: true,
    password:
      'That of an SMTP user of your domain: Send, Domain settings, SMTP credentials. For domains in Europe the server is smtp.eu.mailgun.org.',
    rollingLimit: 100_000,
  },
  {
    key: 'sendgrid',
    name: 'SendGrid',
    server: { host: 'smtp.sendgrid.net', port: 587, security: 'STARTTLS' },
    username: 'apikey',
    password: 'An API key that may send mail: Settings, API keys. The user name is the word “apikey” itself.',
    rollingLimit: 100_000,
  },
  {
    key: 'other',
    name: 'Another server',
    server: { host: '', port: 587, security: 'STARTTLS' },
    password:
      'The operator of the mail server gives it to you; often it is that of the mailbox. Empty if the server takes mail without a login.',
    rollingLimit: 500,
  },
]

/** Which service a server belongs to. */
export function serviceOf(host: string): MailService | undefined {
  return MAIL_SERVICES.find(({ server }) => server.host !== '' && sameService(server.host, host))
}

/** Services have a host for each region: what counts is the domain. */
function sameService(known: string, host: string): boolean {
  const domain = known.split('.').slice(-2)[0] ?? known
  return host.toLowerCase().split('.').includes(domain)
}
