import {
  Ban,
  CalendarClock,
  CalendarRange,
  Contact,
  Globe,
  KeyRound,
  LayoutDashboard,
  LayoutTemplate,
  List,
  ListOrdered,
  type LucideIcon,
  Mail,
  Megaphone,
  ScrollText,
  Settings,
  ShieldCheck,
  Timer,
  Users,
  Webhook,
} from 'lucide-react'
import type { NavIconName } from './nav.ts'

const ICON: Record<NavIconName, LucideIcon> = {
  audit: ScrollText,
  campaigns: Megaphone,
  dashboard: LayoutDashboard,
  domains: Globe,
  keys: KeyRound,
  lists: List,
  mailboxes: Mail,
  promise: ShieldCheck,
  actions: Timer,
  prospects: Contact,
  queue: CalendarClock,
  schedule: CalendarRange,
  sending: Settings,
  sequences: ListOrdered,
  suppressions: Ban,
  team: Users,
  templates: LayoutTemplate,
  webhooks: Webhook,
}

export function NavIcon({ name }: { name: NavIconName }) {
  const Icon = ICON[name]
  return <Icon aria-hidden className="size-4 shrink-0" />
}
