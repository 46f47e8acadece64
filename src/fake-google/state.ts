import { createHash, randomBytes } from 'node:crypto'
import { type Happening, Journal, readJournal } from './journal.ts'
import { headersOf, type MailHeaders } from './mail-text.ts'

export type Grant = { email: string; scopes: readonly string[]; isRevoked: boolean }

export type Draft = { id: string; messageId: string; threadId: string; raw: Buffer }

export type Message = {
  id: string
  threadId: string
  labelIds: string[]
  raw: Buffer
  headers: MailHeaders
  at: number
  historyId: number
}

export class Account {
  readonly email: string
  readonly subject: string
  readonly drafts = new Map<string, Draft>()
  readonly messages = new Map<string, Message>()
  historyId = 1000

  constructor(email: string, subject: string) {
    this.email = email
    this.subject = subject
  }

  thread(id: string): Message[] {
    return [...this.messages.values()].filter(({ threadId }) => threadId === id)
  }
}

type AccessToken = { grant: Grant; endsAt: number }

/** All that Google knows, told by what has happened; the same after a restart. */
export class State {
  readonly accounts = new Map<string, Account>()
  readonly grants = new Map<string, Grant>()
  readonly access = new Map<string, AccessToken>()
  readonly #journal: Journal

  constructor(file: string) {
    for (const happening of readJournal(file)) this.#apply(happening)
    this.#journal = new Journal(file)
  }

  happened(happening: Happening): void {
    this.#journal.write(happening)
    this.#apply(happening)
  }

  account(email: string): Account {
    const known = this.accounts.get(email)
    if (known) return known
    const hash = createHash('sha256').update(email).digest()
    const account = new Account(email, `1${hash.readBigUInt64BE().toString().padStart(20, '0')}`)
    this.accounts.set(email, account)
    return account
  }

  #apply(happening: Happening): void {
    switch (happening.event) {
      case 'asked-together':
        return
      case 'granted': {
        const { email, scopes, refreshToken } = happening
        this.account(email)
        this.grants.set(refreshToken, { email, scopes, isRevoked: false })
        return
      }
      case 'access': {
        const grant = this.grants.get(happening.refreshToken)
        if (grant) this.access.set(happening.accessToken, { grant, endsAt: happening.endsAt })
        return
      }
      case 'rotated': {
        const grant = this.grants.get(happening.from)
        this.grants.delete(happening.from)
        if (grant) this.grants.set(happening.to, grant)
        return
      }
      case 'revoked':
        for (const grant of this.grants.values()) if (grant.email === happening.email) grant.isRevoked = true
        return
      case 'drafted': {
        const { email, draftId, messageId, threadId, raw } = happening
        const draft = { id: draftId, messageId, threadId, raw: Buffer.from(raw, 'base64') }
        this.account(email).drafts.set(draftId, draft)
        return
      }
      case 'draft-deleted':
        this.account(happening.email).drafts.delete(happening.draftId)
        return
      case 'sent': {
        const { email, draftId, id, threadId, raw, at } = happening
        const account = this.account(email)
        if (draftId !== null) account.drafts.delete(draftId)
        account.historyId += 1
        const bytes = Buffer.from(raw, 'base64')
        account.messages.set(id, {
          ...{ id, threadId, labelIds: ['SENT'], raw: bytes, headers: headersOf(bytes), at },
          historyId: account.historyId,
        })
        return
      }
    }
  }
}

export const newToken = (kind: string) => `${kind}.${randomBytes(24).toString('base64url')}`
export const newId = () => randomBytes(8).toString('hex')
