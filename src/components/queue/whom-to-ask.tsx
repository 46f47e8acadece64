'use client'

import { isAtLeast } from '#lib/tenancy/roles.ts'
import { useMembers } from '../people/people.ts'
import { Callout } from '../ui/callout.tsx'

const NAMED_MAX = 3

/** Who may not act sees why, and who may. */
export function WhomToAsk() {
  const { data: members = [] } = useMembers()
  const admins = members.filter(({ role }) => isAtLeast(role, 'admin')).map(({ name, email }) => `${name} (${email})`)
  const named = admins.slice(0, NAMED_MAX)
  return (
    <Callout title="Only admins and owners decide about emails">
      {named.length > 0
        ? `Ask ${new Intl.ListFormat('en', { type: 'disjunction' }).format(named)}.`
        : 'Ask one of them.'}
    </Callout>
  )
}
