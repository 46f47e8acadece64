'use client'

import { IntentLink } from '../../shell/intent-link.tsx'

type Place = { href: string; label: string }

const SETTINGS: Place = { href: '/settings/sending', label: 'Sending settings' }
const MAILBOXES: Place = { href: '/mailboxes', label: 'Mailboxes' }

/** Where the campaign's own pages show exactly what a finding counts. */
function placeOfFinding(campaignId: string, code: string): Place | undefined {
  const campaign = `/campaigns/${campaignId}`
  const places: Record<string, Place> = {
    'no-mailbox': { href: '/mailboxes', label: 'Connect a mailbox' },
    'chosen-mailboxes': { href: `${campaign}?tab=settings`, label: 'Choose others' },
    'no-settings': SETTINGS,
    'no-sending-day': { ...SETTINGS, label: 'Choose days' },
    'no-postal-address': { href: '/settings/sending#postal-address', label: 'Enter the address' },
    'no-prospects': { href: `${campaign}?tab=people`, label: 'Add people' },
    'all-covered': { href: `${campaign}?tab=people&state=SKIPPED`, label: 'See why' },
    'not-planned': { href: `${campaign}?tab=people&state=PENDING`, label: 'See who' },
    blocked: { href: `${campaign}?tab=people&state=BLOCKED`, label: 'Fill it in' },
    skipped: { href: `${campaign}?tab=people&state=SKIPPED`, label: 'See why' },
    unknown: { href: `${campaign}?tab=emails&status=OUTCOME_UNKNOWN`, label: 'See which' },
    failed: { href: `${campaign}?tab=emails&status=PERMANENTLY_FAILED`, label: 'See which' },
  }
  return places[code]
}

const OF_BLOCKERS: Record<string, Place> = {
  'mailbox-connected': { href: '/mailboxes', label: 'Reconnect it' },
  'mailbox-not-deferred': MAILBOXES,
  'mailbox-limit': MAILBOXES,
  'rolling-24h': MAILBOXES,
  'sending-window': SETTINGS,
  'workspace-quota': SETTINGS,
  spacing: SETTINGS,
}

export function CureOfFinding({ campaignId, code }: { campaignId: string; code: string }) {
  return <To place={placeOfFinding(campaignId, code)} />
}

/** Of what holds one email: a limit is changed where it is set, a person on their page. */
export function CureOfBlocker({ name, prospectId }: { name: string; prospectId: string }) {
  const isOfPerson = name === 'merge-fields-complete' || name === 'prospect-active'
  return <To place={isOfPerson ? { href: `/prospects/${prospectId}`, label: 'To the person' } : OF_BLOCKERS[name]} />
}

function To({ place }: { place: Place | undefined }) {
  if (!place) return null
  return (
    <IntentLink href={place.href} className="whitespace-nowrap text-text underline underline-offset-2">
      {place.label}
    </IntentLink>
  )
}
