import { type Answer, apiError, NOT_FOUND, NOTHING, ok, onlyKnown, Refusal } from './answers.ts'
import { allHeadersOf, asSent, bareSubject, headersOf, recipientsOf } from './mail-text.ts'
import { testFor } from './query.ts'
import type { Quotas } from './quotas.ts'
import type { Script } from './script.ts'
import { type Account, type Message, newId, type State } from './state.ts'

export type Call = { account: Account; id: string; query: Readonly<Record<string, string | string[]>>; body: unknown }

/** What a method of the API needs and takes: Google's documentation names its scopes and its parameters. */
export type Method = {
  op: string
  scopes: readonly string[]
  query?: readonly string[]
  run(call: Call): Answer
}

const G = 'https://www.googleapis.com/auth/gmail'
const ALL = 'https://mail.google.com/'
const COMPOSING = [ALL, `${G}.modify`, `${G}.compose`]
const SENDING = [...COMPOSING, `${G}.send`]
const READING = [ALL, `${G}.modify`, `${G}.readonly`]
const LOOKING = [...READING, `${G}.metadata`]
const DRAFTS = [...COMPOSING, `${G}.readonly`]

const MESSAGE_FIELDS = [
  ...['id', 'threadId', 'labelIds', 'snippet', 'historyId', 'internalDate', 'payload', 'sizeEstimate', 'raw'],
  'classificationLabelValues',
]

type Place = {
  state: State
  script: Script
  quotas: Quotas
  deliver: (to: string[], from: string, raw: Buffer) => void
}

export function methodsOf({ state, script, quotas, deliver }: Place): Readonly<Record<string, Method>> {
  const now = () => Date.now()

  function draft({ account, body }: Call): Answer {
    const { message } = fieldsOf(body, ['id', 'message'])
    const { raw, threadId } = rawIn(message)
    const wanted = threadIn(account, threadId)
    const id = `r${newId()}`
    const messageId = newId()
    state.happened({
      ...{ event: 'drafted', at: now(), email: account.email, draftId: id },
      ...{ messageId, threadId: wanted ?? messageId, raw: raw.toString('base64') },
    })
    return ok({ id, message: { id: messageId, threadId: wanted ?? messageId, labelIds: ['DRAFT'] } })
  }

  function send(account: Account, raw: Buffer, draftId: string | null, wanted: string | undefined): Answer {
    quotas.mayStillSend(account.email, now())
    const headers = headersOf(raw)
    const to = recipientsOf(headers)
    if (to.length === 0)
      throw new Refusal(
        headers.has('to')
          ? apiError(400, 'invalidArgument', 'Invalid To header')
          : apiError(400, 'invalidArgument', 'Recipient address required'),
      )
    const sent = asSent(raw)
    const id = newId()
    const threadId = wanted !== undefined && belongs(account.thread(wanted), headers) ? wanted : id
    state.happened({
      ...{ event: 'sent', at: now(), email: account.email, draftId, id, threadId, messageId: sent.messageId },
      ...{ ownId: headers.get('x-sendonce-id') ?? null, to, raw: sent.raw.toString('base64') },
    })
    quotas.sent(account.email, now())
    deliver(to, account.email, sent.raw)
    return ok({ id, threadId, labelIds: ['SENT'] })
  }

  return {
    'GET /profile': {
      op: 'profile',
      scopes: [...DRAFTS, `${G}.metadata`],
      run: ({ account: { email, messages, historyId } }) =>
        ok({
          emailAddress: email,
          messagesTotal: messages.size,
          threadsTotal: messages.size,
          historyId: `${historyId}`,
        }),
    },
    'POST /drafts': { op: 'drafts.create', scopes: COMPOSING, run: draft },
    'GET /drafts': {
      op: 'drafts.list',
      scopes: DRAFTS,
      query: ['maxResults', 'pageToken', 'q', 'includeSpamTrash'],
      run: ({ account }) =>
        ok({
          drafts: [...account.drafts.values()].map(({ id, messageId, threadId }) => ({
            id,
            message: { id: messageId, threadId },
          })),
        }),
    },
    'GET /drafts/:id': {
      op: 'drafts.get',
      scopes: DRAFTS,
      query: ['format'],
      run({ account, id }) {
        const found = account.drafts.get(id)
        if (!found) throw new Refusal(NOT_FOUND)
        const { messageId, threadId, raw } = found
        return ok({ id, message: { id: messageId, threadId, labelIds: ['DRAFT'], raw: raw.toString('base64url') } })
      },
    },
    'POST /drafts/send': {
      op: 'drafts.send',
      scopes: COMPOSING,
      run({ account, body }) {
        const { id } = fieldsOf(body, ['id', 'message'])
        const found = account.drafts.get(String(id))
        if (!found && script.play.isFenceBroken) return ok({ id: newId(), threadId: newId(), labelIds: ['SENT'] })
        if (!found) throw new Refusal(NOT_FOUND)
        return send(account, found.raw, found.id, found.threadId === found.messageId ? undefined : found.threadId)
      },
    },
    'DELETE /drafts/:id': {
      op: 'drafts.delete',
      scopes: COMPOSING,
      run({ account, id }) {
        if (!account.drafts.has(id) && script.play.isFenceBroken) return NOTHING
        if (!account.drafts.has(id)) throw new Refusal(NOT_FOUND)
        state.happened({ event: 'draft-deleted', at: now(), email: account.email, draftId: id })
        return NOTHING
      },
    },
    'POST /messages/send': {
      op: 'messages.send',
      scopes: SENDING,
      run({ account, body }) {
        const { raw, threadId } = rawIn(body)
        return send(account, raw, null, threadIn(account, threadId))
      },
    },
    'GET /messages': {
      op: 'messages.list',
      scopes: LOOKING,
      query: ['maxResults', 'pageToken', 'q', 'labelIds', 'includeSpamTrash'],
      run({ account, query }) {
        const test = testFor(String(query.q ?? ''))
        const newest = [...account.messages.values()].filter(({ at }) => at <= now() - script.play.indexMs).reverse()
        return page(newest.filter(test), query, 'messages', ({ id, threadId }) => ({ id, threadId }))
      },
    },
    'GET /messages/:id': {
      op: 'messages.get',
      scopes: LOOKING,
      query: ['format', 'metadataHeaders'],
      run({ account, id, query }) {
        const message = account.messages.get(id)
        if (!message) throw new Refusal(NOT_FOUND)
        return ok(asAsked(message, query))
      },
    },
    'GET /threads/:id': {
      op: 'threads.get',
      scopes: LOOKING,
      query: ['format', 'metadataHeaders'],
      run({ account, id, query }) {
        const messages = account.thread(id)
        if (messages.length === 0) throw new Refusal(NOT_FOUND)
        return ok({ id, historyId: `${account.historyId}`, messages: messages.map((each) => asAsked(each, query)) })
      },
    },
    'GET /history': {
      op: 'history.list',
      scopes: LOOKING,
      query: ['startHistoryId', 'maxResults', 'pageToken', 'labelId', 'historyTypes'],
      run({ account, query }) {
        const since = Number(query.startHistoryId)
        if (!Number.isInteger(since)) throw new Refusal(apiError(400, 'invalidArgument', 'Missing startHistoryId'))
        if (since < 1000) throw new Refusal(NOT_FOUND)
        const added = [...account.messages.values()].filter(({ historyId }) => historyId > since)
        const answer = page(added, query, 'history', ({ id, threadId, labelIds, historyId }) => ({
          id: `${historyId}`,
          messages: [{ id, threadId }],
          messagesAdded: [{ message: { id, threadId, labelIds } }],
        }))
        return ok({ ...(answer.body as object), historyId: `${account.historyId}` })
      },
    },
  }
}

function fieldsOf(body: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) throw new Refusal(apiError(400, 'badRequest', 'Missing body'))
  onlyKnown(body, known, 'JSON payload')
  return body as Record<string, unknown>
}

function rawIn(message: unknown): { raw: Buffer; threadId: string | undefined } {
  const { raw, threadId } = fieldsOf(message, MESSAGE_FIELDS)
  if (typeof raw !== 'string' || !/^[\w-]+={0,2}$/.test(raw))
    throw new Refusal(
      apiError(400, 'invalidArgument', "'raw' RFC822 payload message string or uploading message required"),
    )
  return { raw: Buffer.from(raw, 'base64url'), threadId: typeof threadId === 'string' ? threadId : undefined }
}

function threadIn(account: Account, threadId: string | undefined): string | undefined {
  if (threadId !== undefined && account.thread(threadId).length === 0) throw new Refusal(NOT_FOUND)
  return threadId
}

/** As the documentation has it: it must name a message of the thread, and bear the same subject. */
function belongs(thread: readonly Message[], headers: ReadonlyMap<string, string>): boolean {
  const named = `${headers.get('in-reply-to') ?? ''} ${headers.get('references') ?? ''}`
  return thread.some(
    (message) =>
      named.includes(message.headers.get('message-id') ?? '\0') &&
      bareSubject(message.headers.get('subject')) === bareSubject(headers.get('subject')),
  )
}

function page<T>(all: readonly T[], query: Call['query'], name: string, shown: (one: T) => unknown): Answer {
  const most = Math.min(Number(query.maxResults ?? 100), 500)
  const from = Number(query.pageToken ?? 0)
  const some = all.slice(from, from + most)
  const next = from + most
  return ok({
    ...(some.length > 0 && { [name]: some.map(shown) }),
    ...(next < all.length && { nextPageToken: `${next}` }),
    resultSizeEstimate: all.length,
  })
}

function asAsked(message: Message, query: Call['query']): unknown {
  const { id, threadId, labelIds, historyId, at, raw } = message
  const common = { id, threadId, labelIds, historyId: `${historyId}`, internalDate: `${at}` }
  const asked = [query.metadataHeaders ?? []].flat().map((name) => name.toLowerCase())
  switch (query.format) {
    case 'minimal':
      return common
    case 'raw':
      return { ...common, raw: raw.toString('base64url') }
    case 'metadata':
      return {
        ...common,
        payload: {
          headers: allHeadersOf(raw).flatMap(([name, value]) =>
            asked.length === 0 || asked.includes(name) ? [{ name, value }] : [],
          ),
        },
      }
    default:
      throw new Refusal(apiError(501, 'notImplemented', 'This format is not played here.'))
  }
}
