const GMAIL = 'https://www.googleapis.com/auth/gmail'

/** Who signed in; nothing of the mailbox. */
const IDENTITY = ['openid', 'email'] as const

const SEND = `${GMAIL}.send`
const COMPOSE = `${GMAIL}.compose`
const READ = `${GMAIL}.readonly`
const MODIFY = `${GMAIL}.modify`
const EVERYTHING = 'https://mail.google.com/'

/** How a mailbox is to send: by drafts, which can be fenced and found again, or directly, with one permission less strict. */
export const GMAIL_WISHES = ['drafts', 'send'] as const
export type GmailWish = (typeof GMAIL_WISHES)[number]

/** The least that each way needs. */
export function scopesFor(wish: GmailWish): readonly string[] {
  return wish === 'drafts' ? [...IDENTITY, COMPOSE, READ] : [...IDENTITY, SEND]
}

/** What was granted may be less than what was asked for: people untick, administrators forbid. */
export type Abilities = {
  send: boolean
  /** Makes, sends and deletes drafts. */
  draft: boolean
  /** Reads what was sent: the real Message-ID, and evidence. */
  read: boolean
}

export function abilitiesOf(scopes: readonly string[]): Abilities {
  const has = (...any: string[]) => any.some((scope) => scopes.includes(scope))
  return {
    send: has(SEND, COMPOSE, MODIFY, EVERYTHING),
    draft: has(COMPOSE, MODIFY, EVERYTHING),
    read: has(READ, MODIFY, EVERYTHING),
  }
}
