import { z } from 'zod'
import { timeZoneSchema } from '#lib/platform/time/time-zone.ts'
import {
  emailSchema,
  passwordGivenSchema,
  passwordSchema,
  personNameSchema,
  workspaceNameSchema,
} from '#lib/tenancy/person.ts'
import { operation } from './operation.ts'
import { done, idText, roleSchema, tokenSchema } from './shared.ts'
import { workspaceOutput } from './workspaces.ts'

const membershipOutput = workspaceOutput.extend({ role: roleSchema })

export const session = {
  read: operation({
    method: 'GET',
    path: '/api/session',
    summary: 'Who is signed in, their workspaces, and the one they are in.',
    access: 'person',
    output: z.object({
      person: z.object({ id: z.string(), name: z.string(), email: z.string() }),
      workspaces: z.array(membershipOutput),
      workspace: membershipOutput.nullable(),
    }),
  }),

  signIn: operation({
    method: 'POST',
    path: '/api/session',
    summary: 'Signs in.',
    access: 'public',
    refuses: [401],
    body: z.object({ email: emailSchema, password: passwordGivenSchema }),
    output: done,
  }),

  switchWorkspace: operation({
    method: 'PATCH',
    path: '/api/session',
    summary: 'Switches to another workspace of the person.',
    access: 'person',
    refuses: [404],
    body: z.object({ workspaceId: idText }),
    output: workspaceOutput,
  }),

  signOut: operation({
    method: 'DELETE',
    path: '/api/session',
    summary: 'Signs out.',
    access: 'person',
    output: done,
  }),
}

export const setup = {
  read: operation({
    method: 'GET',
    path: '/api/setup',
    summary: 'Whether nobody is here yet, so that the first owner signs up.',
    access: 'public',
    output: z.object({ needed: z.boolean() }),
  }),

  signUp: operation({
    method: 'POST',
    path: '/api/setup',
    summary: 'Signs up the first owner with a first workspace; refused once anybody is here.',
    access: 'public',
    body: z.object({
      name: personNameSchema,
      email: emailSchema,
      password: passwordSchema,
      workspaceName: workspaceNameSchema,
      timeZone: timeZoneSchema.default('UTC'),
    }),
    output: done,
  }),
}

export const passwordReset = {
  request: operation({
    method: 'POST',
    path: '/api/password-reset',
    summary: 'Mails a link for a new password, if the address belongs to a person here; the answer is the same if not.',
    access: 'public',
    body: z.object({ email: emailSchema }),
    output: done,
  }),

  confirm: operation({
    method: 'PUT',
    path: '/api/password-reset',
    summary: 'Sets a new password by the link of the mail, and ends all sessions of the person.',
    access: 'public',
    refuses: [410],
    body: z.object({ token: tokenSchema, password: passwordSchema }),
    output: done,
  }),
}
