import type { Metadata } from 'next'
import { InvitationCard } from '#components/session/invitation-card.tsx'
import { readVisit } from '../../visit.ts'

export const metadata: Metadata = { title: 'Your invitation' }

export default async function InvitationPage() {
  const visit = await readVisit()
  return <InvitationCard signedInAs={visit?.person.email ?? null} />
}
