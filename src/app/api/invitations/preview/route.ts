import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/route.ts'
import { previewInvitation } from '#lib/tenancy/accept-invitation.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitByAddress } from '../../limit.ts'
import { roleSchema, tokenSchema } from '../../schemas.ts'

export const POST = route(
  {
    summary: 'What an invitation is for, to whoever holds its link. A POST, so that the token is in no access log.',
    body: z.object({ token: tokenSchema }),
    output: z.object({
      email: z.string(),
      role: roleSchema,
      workspaceName: z.string(),
      inviterName: z.string(),
      hasAccount: z.boolean(),
    }),
  },
  async (input) => {
    await limitByAddress(input, LIMITS.tokenByAddress)
    return previewInvitation(database(), input.body.token)
  },
)
