import type { Metadata } from 'next'
import { Team } from '#components/people/team.tsx'

export const metadata: Metadata = { title: 'Team' }

export default function TeamPage() {
  return <Team />
}
