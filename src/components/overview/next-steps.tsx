'use client'

import { ChevronRight, Globe, ScrollText, UserPlus, Users } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { isAtLeast, type Role } from '#lib/tenancy/roles.ts'
import { useSession } from '../session/session-context.tsx'
import { Card } from '../ui/card.tsx'

interface Step {
  href: string
  icon: ReactNode
  title: string
  sentence: string
}

/** What can be done here today by somebody with the role. */
function stepsFor(role: Role, timeZone: string): Step[] {
  if (!isAtLeast(role, 'admin')) {
    return [
      {
        href: '/team',
        icon: <Users aria-hidden />,
        title: 'See who is here',
        sentence: 'The people of this workspace, and who may change what.',
      },
    ]
  }
  return [
    {
      href: '/team?invite=yes',
      icon: <UserPlus aria-hidden />,
      title: 'Invite your team',
      sentence: 'They get a mail with a link, and choose a password of their own.',
    },
    {
      href: '/settings',
      icon: <Globe aria-hidden />,
      title: 'Check the time zone',
      sentence: `Sending days and windows will go by the clock of ${timeZone}.`,
    },
    {
      href: '/audit',
      icon: <ScrollText aria-hidden />,
      title: 'See what was done, and by whom',
      sentence: 'The audit log keeps it. Nobody can change it afterwards.',
    },
  ]
}

export function NextSteps() {
  const { workspace } = useSession()
  return (
    <Card title="What to do next" isFlush>
      <ul className="mt-1.5 flex flex-col divide-y divide-border border-border border-t">
        {stepsFor(workspace.role, workspace.timeZone).map((step) => (
          <li key={step.href}>
            <Link
              href={step.href}
              className="flex items-center gap-3 px-4 py-3 -outline-offset-2 last:rounded-b-lg hover:bg-sunken/50"
            >
              <span className="rounded-md bg-accent-soft p-2 text-accent-text [&>svg]:size-4">{step.icon}</span>
              <span className="min-w-0 flex-1">
                <span className="block font-medium text-sm">{step.title}</span>
                <span className="block text-pretty text-[0.8125rem] text-muted">{step.sentence}</span>
              </span>
              <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
