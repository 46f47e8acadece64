'use client'

import Link from 'next/link'
import { useMembers } from '../people/people.ts'
import { ROLE_WORD } from '../people/role-words.ts'
import { useSession } from '../session/session-context.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { buttonStyle } from '../ui/button-style.ts'
import { Card } from '../ui/card.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'

const SHOWN_MAX = 6

export function PeopleCard() {
  const { person } = useSession()
  const { data: members, error, isPending, isFetching, refetch } = useMembers()
  const more = (members?.length ?? 0) - SHOWN_MAX
  return (
    <Card
      title="Who is here"
      actions={
        <Link href="/team" className={buttonStyle({ variant: 'ghost', size: 'sm' })}>
          {more > 0 ? `All ${members?.length}` : 'Team'}
        </Link>
      }
    >
      {isPending && (
        <div className="flex h-7 items-center gap-2.5">
          <LoadingNote what="Loading the members" />
          <Skeleton className="size-7 rounded-full" />
          <Skeleton className="h-4 w-40" />
        </div>
      )}
      {error && !members && (
        <LoadError
          title="The members could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {members && (
        <ul className="flex flex-col gap-2.5">
          {members.slice(0, SHOWN_MAX).map((member) => (
            <li key={member.id} className="flex items-center gap-2.5 text-sm">
              <Avatar name={member.name} />
              <span className="min-w-0 flex-1 truncate" title={member.email}>
                {member.name}
                {member.personId === person.id && <span className="text-muted"> (you)</span>}
              </span>
              <span className="text-[0.8125rem] text-muted">{ROLE_WORD[member.role]}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
