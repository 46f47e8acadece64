import {
  Ban,
  CalendarClock,
  Contact,
  KeyRound,
  LayoutDashboard,
  ListOrdered,
  type LucideIcon,
  Mail,
  Megaphone,
  ScrollText,
  Settings,
  Users,
} from 'lucide-react'
import type { NavIconName } from './nav.ts'

const ICON: Record<NavIconName, LucideIcon> = {
  audit: ScrollText,
  campaigns: Megaphone,
  dashboard: LayoutDashboard,
  keys: KeyRound,
  mailboxes: Mail,
  prospects: Contact,
  queue: CalendarClock,
  sending: Settings,
  sequences: ListOrdered,
  suppressions: Ban,
  team: Users,
}

export function NavIcon({ name }: { name: NavIconName }) {
  const Icon = ICON[name]
  return <Icon aria-hidden className="size-4 shrink-0" />
}
