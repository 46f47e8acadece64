import { type WrittenMail, writeMail } from '#lib/tenancy/people/mails.ts'
import { KEPT_DAYS } from './limits.ts'
import type { Disabled } from './settle.ts'
import { nameOfTarget } from './target.ts'

export function webhookDisabledMail(
  appUrl: string,
  owner: { name: string; email: string; workspaceName: string },
  { endpointId, url, reason }: Disabled,
): WrittenMail {
  const host = nameOfTarget(url)
  return writeMail(owner.email, `The webhook to ${host} was disabled`, {
    greeting: `Hello ${owner.name},`,
    before: `the webhook of the workspace ${owner.workspaceName} to ${host} was disabled. ${reason}`,
    button: 'Look at the webhook',
    link: new URL(`/settings/webhooks?webhook=${endpointId}`, appUrl).href,
    after: `What waits for it is kept for ${KEPT_DAYS} days and goes out when you enable it again. What happens while it is disabled is not collected.`,
  })
}
