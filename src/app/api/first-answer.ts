import { randomUUID } from 'node:crypto'
import { headers } from 'next/headers'
import type { Json } from '#lib/contract/over-the-wire.ts'
import { parseParams, parseQuery } from '#lib/platform/http/parse.ts'
import { log } from '#lib/platform/log.ts'
import type { Answered, Parsed } from '#lib/platform/operation.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import type { Visit } from '../visit.ts'
import { originOf, type WorkspaceOperation, type WorkspaceRoute } from './workspace-route.ts'

export type FirstQuery = Record<string, string | number | boolean | undefined>

/**
 * What a route would answer to the person who opens a page, so that the page comes with it: the same roles, the same
 * schemas, the same handler, and no request. Where it cannot be answered nothing is, and the page asks by itself and
 * shows what is wrong.
 */
export async function firstAnswer<Shape extends WorkspaceOperation>(
  { operation, handle }: WorkspaceRoute<Shape>,
  { person, workspace }: Visit,
  given: { params?: Record<string, string>; query?: FirstQuery } = {},
): Promise<Json<Answered<Shape>> | undefined> {
  if (!workspace || !isAtLeast(workspace.role, operation.access)) return undefined
  const requestId = randomUUID()
  const address = new URL(operation.path, 'http://page')
  for (const [name, value] of Object.entries(given.query ?? {}))
    if (value !== undefined) address.searchParams.set(name, String(value))
  const request = new Request(address, { headers: await headers() })
  try {
    const output = await handle({
      params: parseParams(operation, given.params ?? {}) as Parsed<Shape, 'params'>,
      query: parseQuery(operation, request) as Parsed<Shape, 'query'>,
      body: undefined as Parsed<Shape, 'body'>,
      expected: undefined,
      // Nothing is done, so nothing is kept for a repetition, and nobody is told how far it is.
      ...{ keep: async () => undefined, claimFor: async () => undefined, tell: () => undefined },
      ...{ request, requestId, log: log.child({ requestId, path: operation.path }), responseHeaders: new Headers() },
      ...{ person, workspace, role: workspace.role },
      actor: { id: person.id, email: person.email, ...originOf({ request, requestId }) },
    })
    // As it comes over the wire: an instant is text.
    return JSON.parse(JSON.stringify(operation.output?.parse(output)))
  } catch (error) {
    log.info({ requestId, path: operation.path, error }, 'a page came without its first answer')
    return undefined
  }
}
