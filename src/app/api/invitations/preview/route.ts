import { invitations } from '#lib/contract/people.ts'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/http/route.ts'
import { previewInvitation } from '#lib/tenancy/people/accept-invitation.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitByAddress, returnAttemptByAddress } from '../../limit.ts'

export const POST = route(invitations.preview, async (input) => {
  await limitByAddress(input, LIMITS.tokenByAddress)
  const invitation = await previewInvitation(database(), input.body.token)
  await returnAttemptByAddress(input, LIMITS.tokenByAddress)
  return invitation
})
