'use client'

import { useMutation } from '@tanstack/react-query'
import { Button } from '#components/ui/control/button.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../../api-client.ts'
import { counted } from '../../counted.ts'
import type { Draft } from '../../sending/draft.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { DateTime } from '../../ui/date-time.tsx'

type Effect = Received<'POST /api/settings/sending/preview'>['effect']
type Tried = { label: string; effect: Effect }
type Answer = { plan: Effect; tried: Tried[] }

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const ALL_DAY = { windowStartMinute: 0, windowEndMinute: 1440 }

/** The settings with which it would go sooner, and by how much: planned again by the planner, with nothing changed. */
export function WhatHelps({ campaignId }: { campaignId: string }) {
  const { workspace } = useSession()
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => tryAll(workspace.id) })
  if (!isAtLeast(workspace.role, 'admin')) return null
  if (!data)
    return (
      <div className="flex flex-wrap items-center gap-3">
        <Button size="sm" isLoading={isPending} onClick={() => mutate()}>
          What would help, and by how much?
        </Button>
        {error && <span className="text-danger-text">{messageOf(error)}</span>}
      </div>
    )
  const helping = data.tried.filter(({ effect }) => isSooner(effect, data.plan))
  return (
    <div role="status">
      <h3 className="mb-1 font-medium">What would help</h3>
      {helping.length === 0 ? (
        <p className="text-muted">
          Neither a larger quota, nor a longer day, nor more days would bring the last email forward. What binds{' '}
          <IntentLink href={`/campaigns/${campaignId}?tab=plan&view=list`} className="underline underline-offset-2">
            stands in the plan
          </IntentLink>
          , email by email.
        </p>
      ) : (
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {helping.map(({ label, effect }) => (
            <li key={label}>
              {label}: the last of {counted(effect.emails, 'email that waits', 'emails that wait')} in the workspace
              goes on <At instant={effect.lastAfter} zone={workspace.timeZone} /> instead of{' '}
              <At instant={data.plan.lastAfter} zone={workspace.timeZone} />.
              {!effect.isComplete && ' More waits than was looked at.'}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const MINUTE_MS = 60_000

/** Than what a plan of now would give anyway, without the wish. */
function isSooner({ lastAfter }: Effect, plan: Effect): boolean {
  return (
    lastAfter !== null && plan.lastAfter !== null && Date.parse(plan.lastAfter) - Date.parse(lastAfter) >= MINUTE_MS
  )
}

function At({ instant, zone }: { instant: string | null; zone: string }) {
  return instant ? <DateTime instant={instant} timeZone={zone} style="date-time" /> : null
}

/** One after the other: each is a plan of its own. */
async function tryAll(workspaceId: string): Promise<Answer> {
  const { draftOf, wishesOf } = await import('../../sending/draft.ts')
  const settings = await api('GET /api/settings/sending', { workspaceId })
  const draft = draftOf(settings, '')
  const quota = settings.dailyQuota * 2
  const { sendingDays, windowStartMinute, windowEndMinute } = draft
  const isOpenAllDay = windowStartMinute % 1440 === windowEndMinute % 1440
  const wishes: [string, Partial<Draft>, isSoAlready?: boolean][] = [
    [`A quota of ${quota.toLocaleString('en')} a day, twice as much`, { dailyQuota: String(quota) }],
    ['A window that is open all day', ALL_DAY, isOpenAllDay],
    ['Sending on every day of the week', { sendingDays: EVERY_DAY }, sendingDays.length === EVERY_DAY.length],
  ]
  const effectOf = async (wish: Partial<Draft>) => {
    const body = wishesOf({ ...draft, ...wish })
    return (await api('POST /api/settings/sending/preview', { body, workspaceId })).effect
  }
  const plan = await effectOf({})
  const tried: Tried[] = []
  for (const [label, wish, isSoAlready] of wishes) if (!isSoAlready) tried.push({ label, effect: await effectOf(wish) })
  return { plan, tried }
}
