'use client'

import { useQuery } from '@tanstack/react-query'
import { api } from '../../api-client.ts'
import { InlineField } from '../../form/inline-field.tsx'
import { type Person, type PersonChange, useChangePerson, usePerson } from '../../person/use-person.ts'
import { fieldLabel } from '../../prospects/field-words.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useRefreshCampaigns } from '../use-campaigns.ts'

const OF_THE_WORKSPACE = 'custom.'

/** What the texts need and this person lacks, filled in where it is missed; the campaign goes on with them by itself. */
export function FillField({ prospectId, sequenceId }: { prospectId: string; sequenceId: string }) {
  const { workspace } = useSession()
  const { data } = usePerson(prospectId)
  const change = useChangePerson(prospectId)
  const refresh = useRefreshCampaigns()
  const { data: sequence } = useQuery({
    queryKey: queryKeys.sequence(workspace.id, sequenceId),
    queryFn: ({ signal }) =>
      api('GET /api/sequences/[id]', { params: { id: sequenceId }, workspaceId: workspace.id, signal }),
  })
  if (!data || !sequence) return <Skeleton className="h-8 w-48" />
  const lacking = sequence.fieldsNeeded.filter((field) => fieldOf(data.prospect, field) === '')
  if (lacking.length === 0) return <p className="text-[0.8125rem] text-muted">Nothing is missing any more.</p>
  return (
    <dl className="max-w-96 sm:min-w-64 max-sm:[&>div]:grid-cols-1">
      {lacking.map((field) => (
        <InlineField
          key={field}
          label={field.startsWith(OF_THE_WORKSPACE) ? field.slice(OF_THE_WORKSPACE.length) : fieldLabel(field)}
          value=""
          onSave={async (value) => {
            await change(changeOf(field, value))
            await refresh()
          }}
        />
      ))}
    </dl>
  )
}

type Own = 'firstName' | 'lastName' | 'company'

function fieldOf(prospect: Pick<Person, Own | 'email' | 'customFields'>, field: string): string {
  const value = field.startsWith(OF_THE_WORKSPACE)
    ? prospect.customFields[field.slice(OF_THE_WORKSPACE.length)]
    : prospect[field as Own | 'email']
  return String(value ?? '').trim()
}

function changeOf(field: string, value: string): PersonChange {
  if (!field.startsWith(OF_THE_WORKSPACE)) return { [field]: value }
  return { customFields: { [field.slice(OF_THE_WORKSPACE.length)]: value } }
}
