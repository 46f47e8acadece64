import { Clock, MailQuestion, MailX, Send, TimerOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import type { Tone } from '../status-look.ts'
import { Badge } from '../ui/badge.tsx'
import type { Invitation } from './people.ts'

type State = { name: string; tone: Tone; icon: ReactNode }

const MAIL_STATES: Record<Invitation['mail'], State> = {
  sent: { name: 'Invited', tone: 'info', icon: <Send aria-hidden /> },
  waits: { name: 'Mail waits for its server', tone: 'warning', icon: <Clock aria-hidden /> },
  unknown: { name: 'Mail may not have arrived', tone: 'warning', icon: <MailQuestion aria-hidden /> },
  'not-sent': { name: 'Mail not sent', tone: 'danger', icon: <MailX aria-hidden /> },
}
const EXPIRED: State = { name: 'Expired', tone: 'warning', icon: <TimerOff aria-hidden /> }

export function InvitationState({ mail, expired }: Invitation) {
  const { name, tone, icon } = expired ? EXPIRED : MAIL_STATES[mail]
  return (
    <Badge tone={tone} icon={icon}>
      {name}
    </Badge>
  )
}

/** What waits goes by itself. */
export function needsAnotherMail({ mail, expired }: Invitation): boolean {
  return expired || mail === 'unknown' || mail === 'not-sent'
}

/** Once it was tried. */
export function tellOfMail({ mail, email }: Invitation): void {
  const { isGood, text } = TOLD[mail]
  const tell = isGood ? toast.success : toast.error
  tell(text(email))
}

const TOLD: Record<Invitation['mail'], { isGood: boolean; text: (email: string) => string }> = {
  sent: { isGood: true, text: (email) => `The invitation to ${email} is on its way.` },
  waits: {
    isGood: true,
    text: (email) => `${email} is invited. The mail goes out as soon as its server can be reached.`,
  },
  unknown: {
    isGood: false,
    text: (email) => `${email} is invited, but whether the mail has arrived is not known. Ask them, or send it again.`,
  },
  'not-sent': {
    isGood: false,
    text: (email) => `${email} is invited, but the mail could not be sent. Send it again from the list.`,
  },
}
