import type { gmail_v1 } from 'googleapis/build/src/apis/gmail/index.js'
import type { Deadline } from '#lib/mail/deadline.ts'
import { type CallFailure, failureOf } from './call-failure.ts'
import { gatedFetch } from './gated-fetch.ts'

export type Called<T> = { ok: true; data: T } | { ok: false; failure: CallFailure }

export type Headers = ReadonlyMap<string, string>

/** So much of what was sent is looked through for one email. */
const SEARCHED_MAX = 100

/**
 * The calls of the Gmail API that the product makes, with one access token. Each is made once, has its time, and answers
 * what came of it as a value.
 */
export class GmailApi {
  readonly #users: gmail_v1.Resource$Users

  private constructor(users: gmail_v1.Resource$Users) {
    this.#users = users
  }

  /** Google's client is loaded here and nowhere else, so that who sends no Gmail does not pay for it. */
  static async open(token: string, rootUrl: string | undefined): Promise<GmailApi> {
    const { auth, gmail } = await import('googleapis/build/src/apis/gmail/index.js')
    const bearer = new auth.OAuth2()
    // Without a refresh token it cannot renew by itself, and so repeats no call that was refused.
    bearer.setCredentials({ access_token: token })
    return new GmailApi(gmail({ version: 'v1', auth: bearer, ...(rootUrl && { rootUrl }) }).users)
  }

  /** Answers its id. Nothing has been sent by it. */
  createDraft(message: GmailMessage, deadline: Deadline): Promise<Called<string>> {
    return call(deadline, async (options) => {
      const { data } = await this.#users.drafts.create(
        { userId: 'me', requestBody: { message: bodyOf(message) } },
        options,
      )
      return idIn(data)
    })
  }

  sendDraft(id: string, deadline: Deadline): Promise<Called<Sent>> {
    return call(deadline, async (options) =>
      sentIn((await this.#users.drafts.send({ userId: 'me', requestBody: { id } }, options)).data),
    )
  }

  async deleteDraft(id: string, deadline: Deadline): Promise<Called<undefined>> {
    return call(deadline, async (options) => {
      await this.#users.drafts.delete({ userId: 'me', id }, options)
      return undefined
    })
  }

  /** Directly, without a draft. */
  send(message: GmailMessage, deadline: Deadline): Promise<Called<Sent>> {
    return call(deadline, async (options) =>
      sentIn((await this.#users.messages.send({ userId: 'me', requestBody: bodyOf(message) }, options)).data),
    )
  }

  /** By their names in lower case, as far as they are there; of several with one name, the first. */
  headersOf(id: string, names: readonly string[], deadline: Deadline): Promise<Called<Headers>> {
    return call(deadline, async (options) => {
      const { data } = await this.#users.messages.get(
        { userId: 'me', id, format: 'metadata', metadataHeaders: [...names] },
        options,
      )
      const found = data.payload?.headers ?? []
      // Ours stands before any other of its name that the message was given.
      const inOrder = found.flatMap(({ name, value }) => (name && value ? [[name.toLowerCase(), value] as const] : []))
      return new Map(inOrder.toReversed())
    })
  }

  /** The newest that fit, also of what the person has thrown away since. */
  search(q: string, deadline: Deadline): Promise<Called<Sent[]>> {
    return call(deadline, async (options) => {
      const { data } = await this.#users.messages.list(
        { userId: 'me', q, maxResults: SEARCHED_MAX, includeSpamTrash: true },
        options,
      )
      return (data.messages ?? []).flatMap(({ id, threadId }) => (id && threadId ? [{ id, threadId }] : []))
    })
  }

  /** Whether Gmail answers at all. Answers the account's address. */
  profile(deadline: Deadline): Promise<Called<string>> {
    return call(deadline, async (options) => {
      const { emailAddress } = (await this.#users.getProfile({ userId: 'me' }, options)).data
      if (!emailAddress) throw new Error('the profile names no address')
      return emailAddress
    })
  }
}

export type GmailMessage = { raw: Buffer; threadId?: string | undefined }

export type Sent = { id: string; threadId: string }

function bodyOf({ raw, threadId }: GmailMessage): gmail_v1.Schema$Message {
  return { raw: raw.toString('base64url'), ...(threadId && { threadId }) }
}

function idIn({ id }: { id?: string | null }): string {
  if (!id) throw new Error('the answer names no id')
  return id
}

function sentIn(data: gmail_v1.Schema$Message): Sent {
  const id = idIn(data)
  return { id, threadId: data.threadId || id }
}

type Options = { timeout: number; retry: false; fetchImplementation: typeof fetch }

async function call<T>(deadline: Deadline, make: (options: Options) => Promise<T>): Promise<Called<T>> {
  const { fetch, isLetGo } = gatedFetch(deadline)
  try {
    const options: Options = {
      timeout: Math.max(1, Math.ceil(deadline.leftMs())),
      retry: false,
      fetchImplementation: fetch,
    }
    return { ok: true, data: await make(options) }
  } catch (error) {
    return { ok: false, failure: failureOf(error, isLetGo()) }
  }
}
