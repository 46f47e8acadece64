import type { TellMember } from '#lib/actions/run/tell-member.ts'
import { env } from '#lib/platform/env.ts'
import { noticeMail } from '#lib/tenancy/people/mails.ts'
import { memberToTell } from '#lib/tenancy/people/members.ts'
import { storeSystemMail } from './system-mail.ts'

/** A mail of the product's own, which goes out with the ticks like every other. */
export const tellMember: TellMember = async (tx, { workspaceId, personId, note, prospectId }) => {
  const member = await memberToTell(tx, workspaceId, personId)
  if (!member) return 'no-such-member'
  const stored = await storeSystemMail(tx, noticeMail(env().APP_URL, member, { note, prospectId }))
  return stored ? 'told' : 'no-system-mail'
}
