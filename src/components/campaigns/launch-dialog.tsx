'use client'

import { useMutation } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { instantOfLocal, localOfInstant } from '#lib/platform/time/zoned-words.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { formatInstant } from '../date-time-format.ts'
import { useSession } from '../session/session-context.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { UntrackedBranches } from './making/untracked-branches.tsx'
import { useEditCampaign } from './making/use-edit-campaign.ts'
import { PlanSummary } from './plan-card.tsx'
import { type Campaign, usePlan, useRefreshCampaigns } from './use-campaigns.ts'

const WriteAddress = dynamic(() => import('./making/write-address.tsx').then((part) => part.WriteAddress))

/** Says once more what will happen and to how many, and what stops it; from here on, emails reach people. */
export function LaunchDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  return (
    <Dialog
      title={`Launch ${campaign.name}?`}
      description="From here on, emails reach people. What has gone out cannot be taken back; the rest can be paused or stopped at any time."
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      width="md"
    >
      <LaunchForm campaign={campaign} onDone={onClose} />
    </Dialog>
  )
}

function LaunchForm({ campaign, onDone }: { campaign: Campaign; onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  const { save } = useEditCampaign(campaign)
  const { scheduledAt } = campaign
  const [when, setWhen] = useState<'now' | 'later'>(scheduledAt ? 'later' : 'now')
  const [at, setAt] = useState(scheduledAt ? localOfInstant(new Date(scheduledAt), workspace.timeZone) : '')
  const { data: plan, error: planError } = usePlan(campaign.id, true)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api('POST /api/campaigns/[id]/launch', {
        params: { id: campaign.id },
        body: { scheduledAt: when === 'later' ? instantOfLocal(at, workspace.timeZone).toISOString() : null },
        workspaceId: workspace.id,
      }),
    onSuccess: async ({ campaign: launched }) => {
      await refresh()
      onDone()
      toast.success(
        launched.status === 'SCHEDULED' && launched.scheduledAt
          ? `${campaign.name} starts on ${formatInstant(new Date(launched.scheduledAt), workspace.timeZone, 'date-time')}.`
          : `${campaign.name} is running.`,
      )
    },
  })
  const lacksAddress = plan?.problems.some(({ code }) => code === 'no-postal-address') ?? false
  const isStopped = (plan?.problems.length ?? 1) > 0 || (plan?.impossible ?? null) !== null
  return (
    <div className="flex flex-col gap-4">
      <FormError message={error ? messageOf(error) : planError && !plan ? messageOf(planError) : null} />
      {plan ? (
        <PlanSummary campaignId={campaign.id} plan={plan} />
      ) : (
        <>
          <LoadingNote what="Working out the plan" />
          <Skeleton className="h-28 w-full" />
        </>
      )}
      {lacksAddress && isAtLeast(workspace.role, 'admin') && <WriteAddress />}
      <UntrackedBranches campaign={campaign} onChange={save} />
      <div className="flex flex-wrap items-end gap-3">
        <Field label="When">
          <Select
            value={when}
            onValueChange={(value) => setWhen(value === 'later' ? 'later' : 'now')}
            options={[
              { value: 'now', label: 'Now' },
              { value: 'later', label: 'At a time…' },
            ]}
          />
        </Field>
        {when === 'later' && (
          <Field label={`Starts at, by the clock in ${workspace.timeZone}`}>
            <Input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
          </Field>
        )}
      </div>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button
          variant="primary"
          isLoading={isPending}
          disabled={isStopped || (when === 'later' && at === '')}
          onClick={() => mutate()}
        >
          {when === 'later' ? 'Schedule the launch' : 'Launch now'}
        </Button>
      </div>
    </div>
  )
}
