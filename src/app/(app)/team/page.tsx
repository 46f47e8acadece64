import type { Metadata } from 'next'
import { Team } from '#components/people/team.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getInvitations } from '../../api/invitations/route.ts'
import { GET as getMembers } from '../../api/members/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'

export const metadata: Metadata = { title: 'Team' }

export default async function TeamPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <Team />
  const { id } = visit.workspace
  const asked = [
    { queryKey: queryKeys.members(id), data: firstAnswer(getMembers, visit).then((answer) => answer?.members) },
    {
      queryKey: queryKeys.invitations(id),
      data: firstAnswer(getInvitations, visit).then((answer) => answer?.invitations),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <Team />
    </FirstAnswers>
  )
}
