import clsx from 'clsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

type Limits = Received<'GET /api/settings/sending/limits'>

const NAMES: Record<Limits['wins'], string> = {
  'sending-window': 'Window',
  spacing: 'Pauses',
  'workspace-quota': 'Quota of the workspace',
  'mailbox-limit': 'Limits of the mailboxes',
  'ramp-up': 'Ramp-up',
  'rolling-24h': 'Any 24 hours',
}

interface LimitsPanelProps {
  limits: Limits | undefined
  /** They are those of settings that are not saved yet. */
  isWished: boolean
}

/** The limits of today, one under the other, with the one that is reached first. */
export function LimitsPanel({ limits, isWished }: LimitsPanelProps) {
  return (
    <Card
      title="The limits of today"
      description={isWished ? 'As they would be with your changes.' : 'The lowest one wins.'}
    >
      {limits ? (
        <>
          <p className="mb-2 text-sm">
            At most <span className="font-semibold">{limits.atMost.toLocaleString('en')}</span> emails go today;{' '}
            {limits.sent.toLocaleString('en')} {limits.sent === 1 ? 'has' : 'have'} gone.
          </p>
          <ol className="flex flex-col gap-0.5">
            {limits.limits.map(({ name, emails, sentence }) => (
              <li
                key={name}
                aria-current={name === limits.wins || undefined}
                className={clsx('-mx-2 rounded-md px-2 py-2', name === limits.wins && 'bg-accent-soft')}
              >
                <div className="flex items-baseline justify-between gap-3 text-sm">
                  <span className="font-medium">
                    {NAMES[name]}
                    {name === limits.wins && <span className="font-normal text-accent-text"> · wins</span>}
                  </span>
                  {emails !== null && <span>{emails.toLocaleString('en')}</span>}
                </div>
                <p className={clsx('text-[0.8125rem]', name === limits.wins ? 'text-text' : 'text-muted')}>
                  {sentence}
                  {name === 'mailbox-limit' && emails === 0 && (
                    <>
                      {' '}
                      <IntentLink href="/mailboxes" className="text-accent-text underline underline-offset-2">
                        See the mailboxes
                      </IntentLink>
                    </>
                  )}
                </p>
              </li>
            ))}
          </ol>
        </>
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Card>
  )
}
