import { Fragment } from 'react'
import { IntentLink } from '../shell/intent-link.tsx'
import { EMAIL_STATUS_LOOK, type Tone } from '../status-look.ts'
import { SOLID_TONE } from '../ui/tones.ts'
import type { ListedCampaign } from './use-campaigns.ts'

type Sums = ListedCampaign['emails']

const PARTS: readonly { key: keyof Sums; word: string; tone: Tone; status: string }[] = [
  { key: 'sent', word: 'sent', tone: EMAIL_STATUS_LOOK.SENT.tone, status: 'SENT' },
  { key: 'waiting', word: 'waiting', tone: EMAIL_STATUS_LOOK.SCHEDULED.tone, status: 'WAITING' },
  { key: 'failed', word: 'failed', tone: EMAIL_STATUS_LOOK.PERMANENTLY_FAILED.tone, status: 'PERMANENTLY_FAILED' },
  { key: 'unknown', word: 'unknown', tone: EMAIL_STATUS_LOOK.OUTCOME_UNKNOWN.tone, status: 'OUTCOME_UNKNOWN' },
  { key: 'cancelled', word: 'cancelled', tone: 'info', status: 'CANCELLED' },
]

/** A campaign's emails in the line of a list: a bar to look at, and its parts in words, each a door to those emails. */
export function MiniLedger({ campaignId, emails }: { campaignId: string; emails: Sums }) {
  const parts = PARTS.filter(({ key }) => emails[key] > 0)
  if (parts.length === 0) return <span className="text-muted">Nothing is planned yet</span>
  const words = parts.map(({ key, word }) => `${emails[key].toLocaleString('en')} ${word}`).join(', ')
  return (
    <div className="flex min-w-44 flex-col gap-1" title={words}>
      <div aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-full bg-sunken">
        {parts.map(({ key, tone }) => (
          <div key={key} className={SOLID_TONE[tone]} style={{ flexGrow: emails[key], minWidth: '3px' }} />
        ))}
      </div>
      <span className="text-[0.8125rem] text-muted tabular-nums">
        {parts.map(({ key, word, status }, index) => (
          <Fragment key={key}>
            {index > 0 && ' '}
            <span className="whitespace-nowrap">
              <IntentLink href={`/campaigns/${campaignId}?tab=emails&status=${status}`} className="hover:underline">
                {emails[key].toLocaleString('en')} {word}
              </IntentLink>
              {index < parts.length - 1 && ','}
            </span>
          </Fragment>
        ))}
      </span>
    </div>
  )
}
