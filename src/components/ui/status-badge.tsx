import {
  Archive,
  Ban,
  CircleCheck,
  CircleDot,
  CircleHelp,
  CirclePause,
  CircleStop,
  CircleX,
  Clock,
  Lock,
  type LucideIcon,
  PencilLine,
  RotateCw,
  Send,
  SkipForward,
  Unplug,
} from 'lucide-react'
import type { StatusIcon, StatusLook } from '../status-look.ts'
import { Badge } from './badge.tsx'

const ICON: Record<StatusIcon, LucideIcon> = {
  archived: Archive,
  asked: CircleHelp,
  blocked: Lock,
  cancelled: Ban,
  done: CircleCheck,
  draft: PencilLine,
  failed: CircleX,
  paused: CirclePause,
  retry: RotateCw,
  running: CircleDot,
  sending: Send,
  skipped: SkipForward,
  stopped: CircleStop,
  unplugged: Unplug,
  waiting: Clock,
}

export function StatusIconOf({ icon }: { icon: StatusIcon }) {
  const Icon = ICON[icon]
  return <Icon aria-hidden />
}

/** `<StatusBadge look={EMAIL_STATUS_LOOK[email.status]} />` */
export function StatusBadge({ look, mayWrap }: { look: StatusLook; mayWrap?: boolean }) {
  const Icon = ICON[look.icon]
  return (
    <Badge tone={look.tone} icon={<Icon aria-hidden />} {...(mayWrap && { mayWrap })}>
      {look.word}
    </Badge>
  )
}
