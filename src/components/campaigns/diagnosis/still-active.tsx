'use client'

import type { Received } from '#lib/contract/over-the-wire.ts'
import { people } from '../../counted.ts'
import { IntentLink } from '../../shell/intent-link.tsx'

interface StillActiveProps {
  campaignId: string
  ledger: Received<'GET /api/campaigns/[id]/progress'>['ledger']
}

/** Where no email waits and it is not over all the same: who stands at a branch, or in a wait, has the time of it in the list. */
export function StillActive({ campaignId, ledger }: StillActiveProps) {
  const active = ledger.enrolments.ACTIVE
  if (active === 0) return null
  return (
    <p className="text-sm">
      No email waits at the moment, and{' '}
      <IntentLink
        href={`/campaigns/${campaignId}?tab=people&state=ACTIVE`}
        className="whitespace-nowrap underline underline-offset-2"
      >
        {people(active)}
      </IntentLink>{' '}
      {active === 1 ? 'is' : 'are'} still active. The list says until when each of them waits.
    </p>
  )
}
