import type { z } from 'zod'
import type { RouteShape } from '#lib/platform/operation.ts'
import type { ApiScope } from '#lib/tenancy/api-keys/scopes.ts'
import type { Role } from '#lib/tenancy/roles.ts'

/**
 * Who may call: everybody; a program with the secret of this installation; anybody who is signed in; or a member of the
 * workspace with at least that role.
 */
export type Access = 'public' | 'secret' | 'person' | Role

export type Operation = RouteShape & {
  access: Access
  /** Where the address itself names the workspace, and not the session or the header x-workspace-id. */
  workspaceInPath?: true
  /** Of the members' operations, those that only a person who is signed in may call: a key may not make keys. */
  peopleOnly?: true
  /** Which scopes of an API key are enough, where its role and method do not say it. */
  scopes?: readonly ApiScope[]
  /** With which statuses it may refuse besides those of every operation of its kind. */
  refuses?: readonly number[]
  /** A body for the reference, where one that is made of its fields would not fit. */
  example?: unknown
  /** Of an upload: the parts beside the file, which are JSON. */
  form?: Readonly<Record<string, z.ZodType>>
  /** Its answer holds a secret that is shown once: it is never kept for a repetition. */
  tellsSecret?: true
  /** Asked again under its key it does nothing twice and answers with what is there, also without an answer that was kept. */
  findsItsOwn?: true
}

/** Of an API key, one of these is asked for. What only looks or hands out a file changes nothing. */
export function scopesOf({ access, method, download, scopes }: Operation): readonly ApiScope[] {
  if (scopes) return scopes
  if (access === 'admin' || access === 'owner') return ['admin']
  return method === 'GET' || download ? ['read'] : ['send']
}

/** One thing that the API does, as routes, the pages' client and the API reference know it. */
export function operation<const O extends Operation>(shape: O): O {
  return shape
}
