import clsx from 'clsx'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import type { Overview } from './use-overview.ts'

const STEPS: readonly { key: keyof Overview['steps']; title: string; sentence: string; href: string; label: string }[] =
  [
    {
      key: 'mailbox',
      title: 'Connect a mailbox',
      sentence: 'The address that your emails come from. It takes its mail server and a password for it.',
      href: '/mailboxes?do=add',
      label: 'Add a mailbox',
    },
    {
      key: 'people',
      title: 'Bring in people',
      sentence: 'A CSV file or a table from your clipboard, or one person by hand. It takes their addresses.',
      href: '/prospects/import',
      label: 'Import people',
    },
    {
      key: 'sequence',
      title: 'Write a sequence',
      sentence: 'The emails that each person gets, one after the other. It takes a subject and a text.',
      href: '/sequences',
      label: 'Write one',
    },
    {
      key: 'campaign',
      title: 'Launch a campaign',
      sentence:
        'It sends a sequence to people. It takes the three above, and your postal address, which stands below each email.',
      href: '/campaigns?new=yes',
      label: 'Make a campaign',
    },
  ]

/** The way from an empty workspace to its first email. */
export function FirstStepsCard({ steps }: { steps: Overview['steps'] }) {
  const next = STEPS.find(({ key }) => !steps[key])?.key
  return (
    <Card title="Four steps to your first email" isFlush>
      <ol className="mt-1.5 divide-y divide-border border-border border-t">
        {STEPS.map(({ key, title, sentence, href, label }, index) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
            {steps[key] ? (
              <CircleCheck role="img" aria-label="Done" className="size-5 shrink-0 text-success-text" />
            ) : (
              <CircleDashed role="img" aria-label="Not done yet" className="size-5 shrink-0 text-muted" />
            )}
            <div className="min-w-0 flex-1 basis-56">
              <p className="font-medium text-sm">
                {index + 1}. {title}
              </p>
              <p className="text-pretty text-[0.8125rem] text-muted">{sentence}</p>
            </div>
            {!steps[key] && (
              <IntentLink
                href={href}
                // On a phone it stands below the words, and begins where they do.
                className={clsx(
                  buttonStyle({ size: 'sm', variant: key === next ? 'primary' : 'secondary' }),
                  'max-sm:ml-8',
                )}
              >
                {label}
              </IntentLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}
