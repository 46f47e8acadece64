'use client'

import { controlStyle } from '#components/ui/control/control-style.ts'
import { useMembers } from '../people/people.ts'
import { useSession } from '../session/session-context.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { ACTION_LABEL } from './audit-words.ts'
import type { AuditEntry } from './use-audit.ts'

const ACTIONS = Object.entries(ACTION_LABEL).map(([value, label]) => ({ value, label }))

/** Filters live in the address. People who have left are offered as long as an entry in sight names them. */
export function AuditFilters({ entries }: { entries: readonly AuditEntry[] }) {
  const { data: members = [] } = useMembers()
  const { timeZone } = useSession().workspace
  const emails = new Map(entries.flatMap((entry) => (entry.actorId ? [[entry.actorId, entry.actorEmail]] : [])))
  for (const member of members) emails.set(member.personId, member.email)
  const actors = [...emails].map(([value, label]) => ({ value, label }))
  return (
    <FilterBar
      filters={[
        { param: 'actor', label: 'Who', options: actors.sort((a, b) => a.label.localeCompare(b.label, 'en')) },
        { param: 'action', label: 'What', options: ACTIONS },
      ]}
      otherParams={['from', 'to']}
    >
      <DayFilter param="from" label="From" timeZone={timeZone} />
      <DayFilter param="to" label="To" timeZone={timeZone} />
    </FilterBar>
  )
}

function DayFilter({ param, label, timeZone }: { param: string; label: string; timeZone: string }) {
  const { params, change } = useUrlParams()
  const value = params.get(param) ?? ''
  return (
    <label className="flex w-full items-center gap-2 sm:w-auto" title={`By the clock of ${timeZone}`}>
      <span className="w-10 text-muted text-sm sm:w-auto">{label}</span>
      <input
        // Anew when the address changes from outside; while a person types, half a date must not be taken from them.
        key={value}
        type="date"
        defaultValue={value}
        onChange={(event) => {
          const { value: next, validity } = event.target
          if (validity.valid && (next === '' || next >= '2000')) change({ [param]: next || null }, 'replace')
        }}
        className={`${controlStyle} h-10 sm:w-36! lg:h-8`}
      />
    </label>
  )
}
