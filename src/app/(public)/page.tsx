import { ArrowRight, ArrowUpRight, CopyX, Eye, Hourglass, Inbox, PackageCheck } from 'lucide-react'
import Link from 'next/link'
import { HealthPanel } from '#components/health/health-panel.tsx'
import { HOME } from '#components/session/safe-next.ts'
import { PublicLayout } from '#components/shell/public-layout.tsx'
import { EMAIL_STATUS_LOOK } from '#components/status-look.ts'
import { Card } from '#components/ui/card.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { StatusBadge } from '#components/ui/status-badge.tsx'
import { database } from '#lib/platform/database.ts'
import { log } from '#lib/platform/log.ts'
import { isFirstRun, isFounder } from '#lib/tenancy/people/first-run.ts'
import { readVisit } from '../visit.ts'

const PROMISES = [
  {
    icon: CopyX,
    title: 'Never twice',
    sentence:
      'For each email, at most one message is handed to a provider, whatever crashes, overlaps or is clicked twice.',
  },
  {
    icon: PackageCheck,
    title: 'Never lost',
    sentence: 'Every email is in exactly one state that you can see, and nothing that still waits is stuck.',
  },
  {
    icon: Eye,
    title: 'Honest',
    sentence: 'When nobody can know whether a message arrived, it says so and asks you, and does not guess.',
  },
  {
    icon: Hourglass,
    title: 'Polite',
    sentence: 'Sending windows, quotas and pauses between emails hold at the moment of sending, not only in the plan.',
  },
]

/** FAILED is missing: an email only passes through it. */
const LASTING_STATES = [
  'SCHEDULED',
  'SENDING',
  'SENT',
  'RETRY_SCHEDULED',
  'OUTCOME_UNKNOWN',
  'PERMANENTLY_FAILED',
  'CANCELLED',
] as const

const DOORS = {
  'first-run': { href: '/setup', label: 'Set up Sendonce' },
  'signed-in': { href: HOME, label: 'Open Sendonce' },
  'signed-out': { href: '/sign-in', label: 'Sign in' },
}

type Looking = { door: keyof typeof DOORS; isFounder: boolean }

/** This page tells how the installation is, so it stands even while the database does not. */
async function findWhoLooks(): Promise<Looking> {
  try {
    if (await isFirstRun(database())) return { door: 'first-run', isFounder: false }
    const visit = await readVisit()
    if (!visit) return { door: 'signed-out', isFounder: false }
    return { door: 'signed-in', isFounder: await isFounder(database(), visit.person.id) }
  } catch (error) {
    log.error({ error }, 'the front page could not ask who is looking')
    return { door: 'signed-out', isFounder: false }
  }
}

export default async function FrontPage() {
  const { door, isFounder: opensInbox } = await findWhoLooks()
  const { href, label } = DOORS[door]
  return (
    <PublicLayout
      actions={
        <Link href={href} className={buttonStyle({ variant: door === 'first-run' ? 'secondary' : 'primary' })}>
          {label}
        </Link>
      }
    >
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div>
          <h1 className="max-w-lg text-balance font-semibold text-2xl tracking-tight lg:text-3xl">
            Campaign email that is never sent twice and never lost
          </h1>
          <p className="mt-4 max-w-xl text-pretty text-base text-muted">
            Sendonce sends sequences of emails to the people in your lists, from your own mailboxes. It plans each one
            for a time when it may go, keeps it in a queue on Postgres, and sends it from there. You see what went out,
            what waits and why, and you decide about what failed.
          </p>
          {door === 'first-run' && (
            <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
              <Link href={href} className={buttonStyle({ variant: 'primary' })}>
                {label}
                <ArrowRight aria-hidden className="size-4" />
              </Link>
              <p className="text-muted text-sm">
                Nobody is here yet: the person who sets it up becomes its first owner.
              </p>
            </div>
          )}
          <h2 className="mt-8 font-semibold text-sm">What it promises</h2>
          <dl className="mt-3 grid max-w-2xl gap-x-8 gap-y-5 sm:grid-cols-2">
            {PROMISES.map(({ icon: Icon, title, sentence }) => (
              <div key={title}>
                <dt className="flex items-center gap-2 font-medium text-sm">
                  <Icon aria-hidden className="size-4 text-accent-text" />
                  {title}
                </dt>
                <dd className="mt-1 text-pretty text-muted text-sm">{sentence}</dd>
              </div>
            ))}
          </dl>
          <h2 className="mt-8 font-semibold text-sm">Where an email can be</h2>
          <p className="mt-1 text-muted text-sm">At any moment, in exactly one of these.</p>
          <ul className="mt-3 flex flex-wrap gap-1.5">
            {LASTING_STATES.map((status) => (
              <li key={status}>
                <StatusBadge look={EMAIL_STATUS_LOOK[status]} />
              </li>
            ))}
          </ul>
        </div>
        <div className="flex flex-col gap-4">
          <HealthPanel />
          <CatcherCard url={process.env.CATCHER_URL} isFounder={opensInbox} />
        </div>
      </div>
    </PublicLayout>
  )
}

/** The inbox holds everybody's links to choose a new password: only the founder is handed its token. */
function CatcherCard({ url, isFounder }: { url: string | undefined; isFounder: boolean }) {
  if (!url) return null
  const mayOpen = isFounder || !new URL(url).searchParams.has('token')
  return (
    <Card title="Mail catcher" description="Here, every email ends in this inbox; none of them leaves this machine.">
      {mayOpen ? (
        <a href={url} target="_blank" rel="noreferrer" className={buttonStyle()}>
          <Inbox aria-hidden className="size-4" />
          Open the inbox
          <ArrowUpRight aria-hidden className="size-4 text-muted" />
          <span className="sr-only">(in a new tab)</span>
        </a>
      ) : (
        <p className="text-muted text-sm">
          It opens by the address that <code>npm start</code> printed, or from here for the person who set Sendonce up.
        </p>
      )}
    </Card>
  )
}
