'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { ConfirmDialog } from '#components/ui/overlay/confirm-dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { VERBS, type Verb } from '#lib/email-scheduler/verbs.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { messageOf } from '../../api-client.ts'
import { formatInstant } from '../../date-time-format.ts'
import { useSession } from '../../session/session-context.tsx'
import { WhomToAsk } from '../whom-to-ask.tsx'
import { RescheduleDialog } from './reschedule-dialog.tsx'
import { SendAgainDialog } from './send-again-dialog.tsx'
import type { Detail } from './use-email.ts'
import { useVerbs } from './use-verbs.ts'

/** These ask first: a copy may arrive twice, a time is needed, or nothing takes it back. */
const ASKS: readonly Verb[] = ['send_again', 'reschedule', 'delivered']

/** A failed email that is dismissed comes back by an undo. One that was handed over does not. */
const asksFirst = (verb: Verb, { status }: Detail['email']) =>
  ASKS.includes(verb) || (verb === 'dismiss' && status === 'OUTCOME_UNKNOWN')

/** What may be done now, and what each does. */
export function EmailActions({ detail }: { detail: Detail }) {
  const { workspace } = useSession()
  const { email, sendAgainFrom } = detail
  const { act, press, running } = useVerbs(email.id)
  const [asking, setAsking] = useState<Verb | null>(null)
  if (email.actions.length === 0) return null
  if (!isAtLeast(workspace.role, 'admin')) return <WhomToAsk />
  const close = () => setAsking(null)
  const tell = async (verb: Verb, at?: string) => {
    toast.success((await act(verb, at)).said)
    close()
  }
  const isTooEarly = sendAgainFrom !== null && Date.parse(sendAgainFrom) > Date.now()
  return (
    <section aria-label="What may be done">
      <ul className="flex flex-col gap-2.5">
        {email.actions.map((verb) => (
          <li key={verb} className="flex items-start gap-3">
            <Button
              size="sm"
              variant={verb === email.actions[0] ? 'primary' : 'secondary'}
              className="w-36"
              isLoading={running === verb}
              disabled={(running !== null && running !== verb) || (verb === 'send_again' && isTooEarly)}
              aria-describedby={`does-${verb}`}
              onClick={() => (asksFirst(verb, email) ? setAsking(verb) : void press(verb))}
            >
              {asksFirst(verb, email) ? `${VERBS[verb].label}…` : VERBS[verb].label}
            </Button>
            <p id={`does-${verb}`} className="min-w-0 flex-1 text-pretty text-[0.8125rem] text-muted">
              {VERBS[verb].sentence}
              {verb === 'send_again' && isTooEarly && (
                <>
                  {' '}
                  Not before {formatInstant(new Date(sendAgainFrom), workspace.timeZone, 'date-time')}: the attempt may
                  still be under way.
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        title="Take it as delivered?"
        description="It then counts as sent, and the steps that follow go on. This cannot be taken back."
        confirmLabel="Assume delivered"
        tone="normal"
        isOpen={asking === 'delivered'}
        onOpenChange={close}
        onConfirm={() => tell('delivered')}
        errorOf={messageOf}
      />
      <ConfirmDialog
        title="Dismiss it?"
        description="It may have arrived, and nobody will look for it any more. It is not sent again, and the steps that would have followed are cancelled. This cannot be taken back."
        confirmLabel="Dismiss"
        isOpen={asking === 'dismiss'}
        onOpenChange={close}
        onConfirm={() => tell('dismiss')}
        errorOf={messageOf}
      />
      <SendAgainDialog
        count={1}
        isOpen={asking === 'send_again'}
        onClose={close}
        onConfirm={() => tell('send_again')}
      />
      <RescheduleDialog
        isOpen={asking === 'reschedule'}
        onClose={close}
        onConfirm={(at) => tell('reschedule', at)}
        timeZone={workspace.timeZone}
      />
    </section>
  )
}
