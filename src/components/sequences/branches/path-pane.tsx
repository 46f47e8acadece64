'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, messageOf } from '#components/api-client.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { Refreshing } from '#components/ui/refreshing.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { awaitedWords, type SequenceGraph } from '#lib/sequences/graph/node-types.ts'
import type { DraftStep } from '../editor/draft.ts'
import { nameOf, type PickedPerson } from '../preview/person-picker.tsx'
import { useAfterPause } from '../preview/use-preview.ts'
import { branchesIn } from './graph-draft.ts'
import { PathList } from './path-list.tsx'

interface PathPaneProps {
  sequenceId: string
  graph: SequenceGraph
  steps: readonly DraftStep[]
  /** Whose way it is; what they have had and where they stand counts. */
  person: PickedPerson | null
}

/** What a person would get, and when, as it stands in the editor; what happens at each branch is assumed here. */
export function PathPane({ sequenceId, graph, steps, person }: PathPaneProps) {
  const { workspace } = useSession()
  const id = useId()
  const branches = branchesIn(graph)
  const [assumed, setAssumed] = useState<readonly string[]>([])
  const happens = assumed.filter((one) => branches.some((branch) => branch.id === one))
  const delays = steps.map(({ delayDays }, index) => ({ stepNumber: index + 1, delayDays }))
  const ask = useAfterPause(JSON.stringify({ graph, delays, happens, ...(person && { prospectId: person.id }) }))
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: queryKeys.sequencePath(workspace.id, sequenceId, ask),
    queryFn: ({ signal }) =>
      api('POST /api/sequences/[id]/path', {
        params: { id: sequenceId },
        body: JSON.parse(ask),
        workspaceId: workspace.id,
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  return (
    <Card
      title={`${person ? nameOf(person) : 'You'} would get…`}
      description="If the first email went now, or from where they stand. Limits and the sending window may move the dates."
      className="mt-4"
    >
      <div className="flex flex-col gap-4">
        {branches.length > 0 && (
          <fieldset className="flex flex-col gap-2 text-sm">
            <legend className="mb-1.5 font-medium">Assume that they…</legend>
            {branches.map((branch, index) => (
              <label key={branch.id} htmlFor={`${id}-${branch.id}`} className="flex items-center gap-2">
                <Checkbox
                  id={`${id}-${branch.id}`}
                  checked={happens.includes(branch.id)}
                  onChange={(event) =>
                    setAssumed(
                      event.target.checked ? [...happens, branch.id] : happens.filter((one) => one !== branch.id),
                    )
                  }
                />
                {index + 1}. {awaitedWords(branch.if)}
              </label>
            ))}
          </fieldset>
        )}
        {error && <Callout tone="warning">{messageOf(error)}</Callout>}
        {data ? (
          <Refreshing isStale={isPlaceholderData}>
            <PathList path={data} />
          </Refreshing>
        ) : (
          !error && <Skeleton className="h-40 w-full" />
        )}
      </div>
    </Card>
  )
}
