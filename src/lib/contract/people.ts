import { z } from 'zod'
import { API_SCOPES } from '#lib/tenancy/api-keys/scopes.ts'
import { emailSchema, passwordSchema, personNameSchema } from '#lib/tenancy/person.ts'
import { operation } from './operation.ts'
import { done, idParams, roleSchema, tokenSchema } from './shared.ts'

const memberOutput = z
  .object({
    id: z.string(),
    personId: z.string(),
    name: z.string(),
    email: z.string(),
    role: roleSchema,
    joinedAt: z.date(),
  })
  .meta({ id: 'Member' })

const invitationOutput = z
  .object({
    id: z.string(),
    email: z.string(),
    role: roleSchema,
    inviterName: z.string(),
    createdAt: z.date(),
    expiresAt: z.date(),
    expired: z.boolean(),
    mail: z.enum(['sent', 'waits', 'unknown', 'not-sent']).meta({
      description:
        'What has become of its newest mail. The invitation stays where it was not sent; one that waits goes by itself once its server can be reached.',
    }),
  })
  .meta({ id: 'Invitation' })

const sentInvitationOutput = z.object({ invitation: invitationOutput })

export const members = {
  list: operation({
    method: 'GET',
    path: '/api/members',
    summary: 'Who is in the workspace.',
    access: 'member',
    output: z.object({ members: z.array(memberOutput) }),
  }),

  changeRole: operation({
    method: 'PATCH',
    path: '/api/members/[id]',
    summary: 'Changes the role of a member. Only owners make and change owners, and one always stays.',
    access: 'admin',
    params: idParams,
    body: z.object({ role: roleSchema }),
    output: memberOutput,
  }),

  remove: operation({
    method: 'DELETE',
    path: '/api/members/[id]',
    summary: 'Removes a member from the workspace.',
    access: 'admin',
    params: idParams,
    output: done,
  }),

  leave: operation({
    method: 'DELETE',
    path: '/api/members/me',
    summary: 'Leaves the workspace.',
    access: 'member',
    peopleOnly: true,
    output: done,
  }),
}

export const invitations = {
  list: operation({
    method: 'GET',
    path: '/api/invitations',
    summary: 'The invitations that wait to be accepted, expired ones too.',
    access: 'admin',
    output: z.object({ invitations: z.array(invitationOutput) }),
  }),

  invite: operation({
    method: 'POST',
    path: '/api/invitations',
    summary: 'Invites an address, by mail. Only owners invite owners.',
    access: 'admin',
    body: z.object({ email: emailSchema, role: roleSchema }),
    makes: { at: '/api/invitations' },
    output: sentInvitationOutput,
  }),

  revoke: operation({
    method: 'DELETE',
    path: '/api/invitations/[id]',
    summary: 'Revokes an invitation: its link stops working.',
    access: 'admin',
    params: idParams,
    output: done,
  }),

  resend: operation({
    method: 'POST',
    path: '/api/invitations/[id]/resend',
    summary: 'Sends an invitation again, with a new link; the old one stops working.',
    access: 'admin',
    params: idParams,
    output: sentInvitationOutput,
  }),

  preview: operation({
    method: 'POST',
    path: '/api/invitations/preview',
    summary: 'What an invitation is for, to the holder of its link. A POST, so that the token is in no access log.',
    access: 'public',
    refuses: [404, 410],
    body: z.object({ token: tokenSchema }),
    output: z.object({
      email: z.string(),
      role: roleSchema,
      workspaceName: z.string(),
      inviterName: z.string(),
      hasAccount: z.boolean(),
    }),
  }),

  accept: operation({
    method: 'POST',
    path: '/api/invitations/accept',
    summary: 'Accepts an invitation: as the person who is signed in, or as a new one with a name and a password.',
    access: 'public',
    refuses: [401, 404, 410],
    body: z.object({
      token: tokenSchema,
      newPerson: z.object({ name: personNameSchema, password: passwordSchema }).optional(),
    }),
    output: z.object({ workspaceId: z.string() }),
  }),
}

const scope = z.enum(API_SCOPES, { error: 'A scope is read, send or admin.' })

const apiKeyOutput = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Its first characters. */
    hint: z.string(),
    scopes: z.array(scope),
    makerName: z.string(),
    /** Its maker is no longer in the workspace, and may still know it. */
    hasMakerLeft: z.boolean(),
    createdAt: z.date(),
    expiresAt: z.date().nullable(),
    isExpired: z.boolean(),
    revokedAt: z.date().nullable(),
    /** To the minute. */
    lastUsedAt: z.date().nullable(),
  })
  .meta({ id: 'ApiKey' })

export const apiKeys = {
  list: operation({
    method: 'GET',
    path: '/api/api-keys',
    summary: 'The API keys of the workspace, and the last fifty that were revoked.',
    access: 'admin',
    output: z.object({ apiKeys: z.array(apiKeyOutput) }),
  }),

  make: operation({
    method: 'POST',
    path: '/api/api-keys',
    summary: 'Makes an API key. The answer is the only one that ever shows it.',
    access: 'admin',
    peopleOnly: true,
    tellsSecret: true,
    body: z.object({
      name: z.string().trim().min(1, 'A key needs a name: that of the program that will use it.').max(100),
      scopes: z.array(scope).min(1, 'A key needs at least one scope.').max(API_SCOPES.length),
      validDays: z.number().int().min(1).max(3_650).nullable().default(null),
    }),
    makes: { at: '/api/api-keys', id: 'apiKey.id' },
    output: z.object({ key: z.string(), apiKey: apiKeyOutput }),
  }),

  revoke: operation({
    method: 'DELETE',
    path: '/api/api-keys/[id]',
    summary: 'Revokes an API key. It stops working at once, and for good.',
    access: 'admin',
    peopleOnly: true,
    params: idParams,
    output: done,
  }),
}
