'use client'

import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../../api-client.ts'
import { counted } from '../../counted.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { Callout } from '../../ui/callout.tsx'
import { type Campaign, useProgress, useRefreshCampaigns } from '../use-campaigns.ts'

/** When it has ended: what it came to, and the way to retry what failed, and nothing else. */
export function EndCard({ campaign }: { campaign: Campaign }) {
  const { data } = useProgress(campaign.id)
  if (campaign.status !== 'SENT' || !data) return null
  const { SENT, PERMANENTLY_FAILED: failed, OUTCOME_UNKNOWN: unknown, CANCELLED } = data.ledger.emails
  const say = (count: number, one: string, many: string) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`
  const rest = [
    failed > 0 && `${say(failed, 'failed', 'failed')} for good`,
    unknown > 0 && say(unknown, 'has an unknown outcome', 'have an unknown outcome'),
    CANCELLED > 0 && say(CANCELLED, 'was cancelled', 'were cancelled'),
  ].filter(Boolean)
  return (
    <Callout
      tone={failed + unknown > 0 ? 'warning' : 'success'}
      title={`It is over: ${say(SENT, 'email was sent', 'emails were sent')}${rest.length > 0 ? `, ${rest.join(', ')}` : ''}.`}
      actions={failed > 0 && campaign.archivedAt === null && <RetryFailed campaign={campaign} failed={failed} />}
    >
      {unknown > 0 && (
        <>
          Nobody knows whether the unknown ones arrived.{' '}
          <IntentLink href={`/campaigns/${campaign.id}?tab=emails&status=OUTCOME_UNKNOWN`} className="underline">
            Look at them
          </IntentLink>
        </>
      )}
    </Callout>
  )
}

function RetryFailed({ campaign, failed }: { campaign: Campaign; failed: number }) {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  const [isBusy, setIsBusy] = useState(false)
  if (!isAtLeast(workspace.role, 'admin')) return <p className="text-[0.8125rem]">An admin may retry what failed.</p>

  async function retry() {
    setIsBusy(true)
    try {
      const { done, refused } = await retryAll(workspace.id, campaign.id)
      await refresh()
      const left = refused > 0 ? ` ${counted(refused, 'email')} cannot be retried; each says why.` : ''
      toast.success(`${counted(done, 'email is', 'emails are')} tried again, and the campaign runs.${left}`)
    } catch (error) {
      toast.error(messageOf(error))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Button icon={<RotateCw />} isLoading={isBusy} onClick={retry}>
      Retry the {failed.toLocaleString('en')} that failed
    </Button>
  )
}

/** Part after part; what is being retried has left the filter, and the cursor passes over what is refused. */
async function retryAll(workspaceId: string, campaignId: string): Promise<{ done: number; refused: number }> {
  // What a person has dismissed stays as it is.
  const filter = { campaignId, status: 'PERMANENTLY_FAILED' as const, dismissed: false }
  const total = { done: 0, refused: 0 }
  let cursor: string | undefined
  do {
    const part = await api('POST /api/admin/outbox/bulk', { body: { action: 'retry', filter, cursor }, workspaceId })
    total.done += part.done
    total.refused += part.refused.reduce((sum, { count }) => sum + count, 0)
    cursor = part.nextCursor ?? undefined
  } while (cursor)
  return total
}
