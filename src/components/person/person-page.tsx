'use client'

import { ApiError } from '../api-client.ts'
import { LostServer } from '../live/lost-server.tsx'
import { lookOfPerson, nameOfPerson } from '../prospects/person-state.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { PersonActions } from './person-actions.tsx'
import { PersonFields } from './person-fields.tsx'
import { timelineOf } from './timeline.ts'
import { TimelineView } from './timeline-view.tsx'
import { type PersonAnswer, useHistory, usePerson } from './use-person.ts'

const BACK = { href: '/prospects', label: 'Prospects' }

/** Who this is, what they got and will get, and why. */
export function PersonPage({ id }: { id: string }) {
  const query = usePerson(id)
  const { data, error, isFetching, refetch } = query
  if (data) {
    return (
      <>
        <LostServer query={query} />
        <OnePerson answer={data} />
      </>
    )
  }
  if (error instanceof ApiError && error.status === 404)
    return (
      <>
        <PageHeader title="Nobody is here" back={BACK} />
        <Callout>This person does not exist in this workspace, or the link is of another one.</Callout>
      </>
    )
  if (error)
    return (
      <>
        <PageHeader title="A person" back={BACK} />
        <LoadError
          title="This person could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      </>
    )
  return (
    <>
      <PageHeader title="A person" back={BACK} />
      <LoadingNote what="Loading the person" />
      <Skeleton className="h-64 w-full" />
    </>
  )
}

function OnePerson({ answer }: { answer: PersonAnswer }) {
  const { prospect, lists, suppressedBy, formerAddresses } = answer
  const { workspace } = useSession()
  const person = { ...prospect, suppressedBy }
  const history = useHistory(prospect.id)
  const name = nameOfPerson(person)
  return (
    <>
      <PageHeader
        title={name}
        description={name === person.email ? undefined : person.email}
        badge={<StatusBadge look={lookOfPerson(person)} />}
        back={BACK}
        actions={<PersonActions key={workspace.role} person={person} />}
      />
      {person.mergedIntoId && (
        <Callout className="mb-4">
          This was merged into another person.{' '}
          <IntentLink href={`/prospects/${person.mergedIntoId}`} className="underline">
            Open that one
          </IntentLink>
        </Callout>
      )}
      {suppressedBy && (
        <Callout tone="warning" className="mb-4">
          {suppressedBy === 'DOMAIN' ? 'The domain of this address is suppressed' : 'This address is suppressed'}: no
          campaign email goes to it.{' '}
          <IntentLink
            href={`/suppressions?q=${encodeURIComponent(suppressedValue(suppressedBy, person.email))}`}
            className="underline"
          >
            See why
          </IntentLink>
        </Callout>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0 max-lg:order-2">
          {history.data ? (
            <TimelineView {...timelineOf(person, history.data, formerAddresses)} isCut={history.data.isCut} />
          ) : history.error ? (
            <LoadError
              title="The timeline could not be loaded."
              error={history.error}
              onRetry={() => history.refetch()}
              isRetrying={history.isFetching}
            />
          ) : (
            <Skeleton className="h-64 w-full" />
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <PersonFields person={person} />
          <Card title="Lists">
            {lists.length === 0 ? (
              <p className="text-muted text-sm">In no list.</p>
            ) : (
              <ul className="flex flex-wrap gap-2">
                {lists.map((list) => (
                  <li key={list.id}>
                    <IntentLink
                      href={`/prospects?list=${list.id}`}
                      className="inline-flex h-8 items-center rounded-md bg-sunken px-2.5 text-sm hover:underline"
                    >
                      {list.name}
                    </IntentLink>
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </div>
      </div>
    </>
  )
}

function suppressedValue(by: 'ADDRESS' | 'DOMAIN', email: string | null): string {
  if (email === null) return ''
  return by === 'ADDRESS'
    ? email
    : email
        .slice(email.lastIndexOf('@') + 1)
        .split('.')
        .slice(-2)
        .join('.')
}
