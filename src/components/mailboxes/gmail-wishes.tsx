import type { Call } from '../api-client.ts'

export type Wish = NonNullable<NonNullable<Call<'POST /api/mailboxes/gmail/connect'>['body']>['wish']>

interface Choice {
  wish: Wish
  label: string
  what: string
  asks: { scope: string; why: string }[]
}

const CHOICES: readonly Choice[] = [
  {
    wish: 'drafts',
    label: 'By drafts (recommended)',
    what: 'Each email is made as a draft and then sent. When an answer gets lost, Gmail itself can be asked what became of it.',
    asks: [
      { scope: 'Manage drafts and send emails', why: 'to make, send and delete the drafts of your campaigns' },
      {
        scope: 'View your email messages',
        why: 'to find what was sent, and the id by which follow-ups answer it; nothing else is looked at',
      },
    ],
  },
  {
    wish: 'send',
    label: 'Sending only',
    what: 'For accounts or Google projects that may not grant more. When an answer gets lost, you decide what became of the email, and follow-ups may stand beside their thread at the reader’s.',
    asks: [{ scope: 'Send email on your behalf', why: 'to send the emails of your campaigns' }],
  },
]

/** What each way needs, and what it costs to grant less. Radio buttons, so that the arrow keys choose. */
export function GmailWishes({ wish, onWish }: { wish: Wish; onWish: (wish: Wish) => void }) {
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium text-sm">How is it to send?</legend>
        {CHOICES.map(({ wish: value, label, what, asks }) => (
          <label
            key={value}
            className="flex cursor-pointer items-start gap-2.5 rounded-md border border-control/60 px-3 py-2.5 text-sm has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name="wish"
              value={value}
              checked={value === wish}
              onChange={() => onWish(value)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span>
              <span className="font-medium">{label}</span>
              <span className="block text-[0.8125rem] text-muted">{what}</span>
              <span className="mt-1.5 block text-[0.8125rem]">
                Google asks for:
                {asks.map(({ scope, why }) => (
                  <span key={scope} className="block">
                    “{scope}”, <span className="text-muted">{why}</span>
                  </span>
                ))}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <p className="text-[0.8125rem] text-muted">
        Google also asks to tell us your address, so that we know whose mailbox it is. If you untick one of the others
        there, the mailbox works with what is left and says so. Back here it is tried at once: with a draft that is
        deleted, and one message from the mailbox to itself.
      </p>
    </>
  )
}
