import { type Operation, scopesOf } from '#lib/contract/operation.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { clientAddress } from '#lib/platform/client-address.ts'
import { AskedTogether, sameForAll } from '#lib/platform/connections/asked-together.ts'
import { database, inTransaction, type Sql } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { type KeyStore, readKey } from '#lib/platform/http/keyed.ts'
import { guardedRoute, type RouteEntry, type RouteHandler, type RouteInput } from '#lib/platform/http/route.ts'
import type { Answered } from '#lib/platform/operation.ts'
import { activeAmong, assertWorkspaceAccess, listMemberships, type WorkspaceAccess } from '#lib/tenancy/access.ts'
import { type KeyHolder, keyIn, readKeyHolder } from '#lib/tenancy/api-keys/api-key.ts'
import { mayWith } from '#lib/tenancy/api-keys/scopes.ts'
import { keyStoreOf } from '#lib/tenancy/kept-answers.ts'
import { readSession, type SignedIn } from '#lib/tenancy/people/session.ts'
import type { Actor, Person } from '#lib/tenancy/person.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import type { Role } from '#lib/tenancy/roles.ts'
import { KEPT_FOR_PEOPLE, KEPT_FOR_PROGRAMS } from '#lib/tenancy/room-for-answers.ts'
import { auth } from '#lib/wiring/auth.ts'
import { limitBySubject } from './limit.ts'

export type PersonContext = { person: Person; actor: Actor; session: SignedIn }

/** A person who is signed in; or the person who made the API key that a program has sent. */
export type WorkspaceContext = Omit<PersonContext, 'session'> & WorkspaceAccess

/** For a signed-in person, in any workspace. 401 for everyone else, before anything else is looked at. */
export function personRoute<Shape extends Operation & { access: 'person' }>(
  operation: Shape,
  handle: (input: RouteInput<Shape> & PersonContext) => Promise<Answered<Shape>>,
): RouteHandler {
  return guardedRoute(operation, enterAsPerson, (input, context) => handle({ ...input, ...context }), keysIn(operation))
}

type Entry = Omit<RouteEntry, 'params'>

export type WorkspaceOperation = Operation & { access: Role }

/** The handler, with what it is made from: a page's first answer asks the very same. */
export type WorkspaceRoute<Shape extends WorkspaceOperation> = RouteHandler & {
  operation: Shape
  handle: (input: RouteInput<Shape> & WorkspaceContext) => Promise<Answered<Shape>>
}

/**
 * For members with at least the operation's role: 401 without a session, 403 when the role is too low, 404 for a
 * workspace that is not theirs. The workspace is the session's active one, unless the address or the header
 * x-workspace-id (a tab that stays where it is while another one switches) names it. Everything that `handle` reads or
 * writes is scoped by it. A program sends an API key instead, which belongs to one workspace and has scopes for roles.
 */
export function workspaceRoute<Shape extends WorkspaceOperation>(
  operation: Shape,
  handle: (input: RouteInput<Shape> & WorkspaceContext) => Promise<Answered<Shape>>,
): WorkspaceRoute<Shape> {
  const enter = async (entry: RouteEntry<Shape>): Promise<WorkspaceContext> => {
    const named = operation.workspaceInPath ? idIn(entry.params) : entry.request.headers.get('x-workspace-id')
    const key = keyIn(entry.request.headers)
    if (key !== undefined) return enterAsProgram(operation, entry, key, named)
    const { session, ...context } = await enterAsPerson(entry)
    const workspaceId = named ?? (await activeWorkspace(session))
    return {
      ...context,
      ...(await assertWorkspaceAccess(database(), context.person.id, workspaceId, operation.access)),
    }
  }
  const handler = guardedRoute(
    operation,
    enter,
    (input, context) => handle({ ...input, ...context }),
    keysIn(operation),
  )
  return Object.assign(handler, { operation, handle })
}

/** Every POST may have an Idempotency-Key, but for what answers with a file and changes nothing. Other methods
 * come to the same when they are repeated.
 */
function keysIn({ method, path, download, tellsSecret, findsItsOwn }: Operation) {
  return (request: Request, { actor, workspace }: Pick<WorkspaceContext, 'actor'> & Partial<WorkspaceAccess>) => {
    const key = method === 'POST' && !download ? readKey(request) : undefined
    if (key === undefined) return undefined
    const by = { workspaceId: workspace?.id ?? null, callerId: actor.keyId ?? actor.id, operation: `${method} ${path}` }
    const limits = actor.keyId === undefined ? KEPT_FOR_PEOPLE : KEPT_FOR_PROGRAMS
    const store = keyStoreOf(database(), { ...by, key }, limits)
    if (tellsSecret) return withoutAnswers(store)
    return findsItsOwn ? withAnswersThatAreThere(store) : store
  }
}

/** That it was done is kept, and nothing of what was told. */
function withoutAnswers(store: KeyStore): KeyStore {
  return {
    ...store,
    keep: (tx, answer) => store.keep(tx, { ...answer, body: null }),
    fill: async () => undefined,
  }
}

/** Where the answer is not kept, the operation looks what became of the first: its key is there for ever. */
function withAnswersThatAreThere(store: KeyStore): KeyStore {
  return {
    ...store,
    claim: async (fingerprint) => {
      const before = await store.claim(fingerprint)
      return before?.body === null ? undefined : before
    },
  }
}

/** One transaction that does what is asked and keeps its answer: neither is there without the other. */
export function inKeptTransaction<Output>(
  { keep }: { keep: (tx: Sql, output: Output) => Promise<void> },
  work: (tx: Sql) => Promise<Output>,
): Promise<Output> {
  return inTransaction(database(), async (tx) => {
    const output = await work(tx)
    await keep(tx, output)
    return output
  })
}

function idIn(params: unknown): string {
  if (typeof params === 'object' && params !== null && 'id' in params && typeof params.id === 'string') return params.id
  throw new Error('the address of the operation names no workspace')
}

const keyHolders = new AskedTogether<undefined, KeyHolder>()

/** 401 for a key that is none (any more), 403 for one without the scope, 404 for another workspace, 429 for too much. */
async function enterAsProgram(
  operation: Operation,
  entry: Entry,
  key: string,
  namedWorkspaceId: string | null,
): Promise<WorkspaceContext> {
  const holder = await keyHolders
    .of(
      key,
      undefined,
      sameForAll(() => readKeyHolder(database(), key)),
    )
    .catch((error: unknown) => {
      if (error instanceof PublicError) entry.responseHeaders.set('www-authenticate', 'Bearer')
      throw error
    })
  await limitBySubject(LIMITS.requestsByKey, holder.id)
  if (namedWorkspaceId !== null && namedWorkspaceId !== holder.workspace.id) throw notFound()
  if (operation.peopleOnly) throw forPeople()
  const asked = scopesOf(operation)
  if (!mayWith(holder.scopes, asked)) throw scopeMissing(holder, asked)
  const { id, name, hint, scopes, maker, workspace } = holder
  return {
    person: maker,
    actor: { id: maker.id, email: `API key ${name} (${hint}…)`, keyId: id, ...originOf(entry) },
    workspace,
    role: scopes.includes('admin') ? 'admin' : 'member',
  }
}

const forPeople = () =>
  new PublicError(403, 'for-people', 'An API key cannot do this. Sign in, and do it in the product.')

const scopeMissing = ({ name, scopes }: KeyHolder, asked: readonly string[]) =>
  new PublicError(
    403,
    'scope-missing',
    `This needs an API key with the scope ${[...asked, 'admin'].filter((one, at, all) => all.indexOf(one) === at).join(' or ')}; “${name}” has ${scopes.join(' and ')}.`,
  )

async function enterAsPerson(entry: Entry): Promise<PersonContext> {
  if (keyIn(entry.request.headers) !== undefined) throw forPeople()
  const session = await readSession(auth(), entry.request.headers, entry.responseHeaders)
  if (!session)
    throw new PublicError(401, 'not-signed-in', 'You are not signed in, or your session has ended. Sign in.')
  const { person } = session
  return { person, session, actor: { id: person.id, email: person.email, ...originOf(entry) } }
}

async function activeWorkspace(session: SignedIn): Promise<string> {
  const active = activeAmong(await listMemberships(database(), session.person.id), session.activeWorkspaceId)
  if (active) return active.id
  throw new PublicError(
    403,
    'no-workspace',
    'You are in no workspace at the moment. Create one, or ask for an invitation.',
  )
}

/** From where, as the audit log keeps it. */
export function originOf({ request, requestId }: Pick<Entry, 'request' | 'requestId'>): {
  address?: string
  requestId: string
} {
  return { address: clientAddress(request.headers, env()), requestId }
}
