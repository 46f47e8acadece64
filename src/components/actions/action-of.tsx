import { IntentLink } from '../shell/intent-link.tsx'
import type { ScheduledAction } from './use-actions.ts'

/** Whom it is about, and in which campaign. */
export function ActionOf({ action: { campaign, prospect } }: { action: ScheduledAction }) {
  return (
    <div className="flex flex-col gap-0.5 lg:min-w-56">
      {prospect && (
        <IntentLink href={`/prospects/${prospect.id}`} className="wrap-anywhere hover:underline">
          {prospect.email ?? 'An erased person'}
        </IntentLink>
      )}
      {campaign && (
        <IntentLink href={`/campaigns/${campaign.id}`} className="wrap-anywhere text-muted hover:underline">
          {campaign.name}
        </IntentLink>
      )}
    </div>
  )
}
