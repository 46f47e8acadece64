'use client'

import { HealthPanel } from '../health/health-panel.tsx'
import { useSession } from '../session/session-context.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { NextSteps } from './next-steps.tsx'
import { PeopleCard } from './people-card.tsx'

/** Home, and honest: only what is there. */
export function Overview() {
  const { workspace } = useSession()
  return (
    <>
      <PageHeader
        title="Overview"
        description={
          <span className="break-words">
            {workspace.name} · dates and times as the clock in {workspace.timeZone} shows them
          </span>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <NextSteps />
          <PeopleCard />
        </div>
        <HealthPanel />
      </div>
    </>
  )
}
