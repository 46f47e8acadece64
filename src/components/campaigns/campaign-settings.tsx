'use client'

import { SaveStateNote } from '../form/save-state.tsx'
import { useSequence } from '../sequences/use-sequences.ts'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import { ClockCard } from './making/clock-card.tsx'
import { NameField } from './making/name-field.tsx'
import { TrackingCard } from './making/tracking-card.tsx'
import { useEditCampaign } from './making/use-edit-campaign.ts'
import { WhenFields } from './making/when-fields.tsx'
import { type Campaign, useProgress } from './use-campaigns.ts'

/** Its name, its mailboxes, what it tracks, and what an edit of its sequence would change. */
export function CampaignSettings({ campaign }: { campaign: Campaign }) {
  const edit = useEditCampaign(campaign)
  const { data: progress } = useProgress(campaign.id)
  const { data: sequence } = useSequence(campaign.sequenceId)
  const emails = progress?.ledger.emails
  const waiting = emails ? emails.SCHEDULED + emails.RETRY_SCHEDULED : undefined
  const say = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'email' : 'emails'}`
  if (!campaign.actions.includes('edit'))
    return <p className="text-muted text-sm">An archived campaign stays as it is. Bring it back to change it.</p>
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <NameField campaign={campaign} onSave={(name) => edit.save({ name })} />
        <SaveStateNote state={edit.state} />
      </div>
      <Card
        title="From where"
        description="A change is for people who have no mailbox yet. The others stay on theirs, so that the thread holds."
      >
        <WhenFields campaign={campaign} onChange={edit.save} />
      </Card>
      {campaign.status !== 'STOPPED' && <ClockCard campaign={campaign} onChange={edit.save} />}
      <TrackingCard campaign={campaign} onChange={edit.save} />
      <Card title="Sequence">
        <div className="flex flex-col gap-2 text-sm">
          <p>
            <IntentLink href={`/sequences/${campaign.sequenceId}`} className="font-medium underline underline-offset-2">
              {sequence?.name ?? 'Its sequence'}
            </IntentLink>{' '}
            {campaign.launchedAt
              ? 'stays with this campaign. Its texts and waits may be edited, and steps added at the end.'
              : 'can still be exchanged on the overview.'}
          </p>
          {emails && waiting !== undefined && emails.total > 0 && (
            <p className="text-muted">
              An edit changes what the {say(waiting)} that still wait will say. The {say(emails.SENT)} that were sent
              stay as they are. Before it is saved, the editor shows exactly which, with one of them before and after.
            </p>
          )}
        </div>
      </Card>
    </div>
  )
}
