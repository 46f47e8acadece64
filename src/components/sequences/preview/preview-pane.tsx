'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import clsx from 'clsx'
import { ExternalLink, Monitor, Smartphone } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from '#components/api-client.ts'
import { useSession } from '#components/session/session-context.tsx'
import { IntentLink } from '#components/shell/intent-link.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { Refreshing } from '#components/ui/refreshing.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { hintsFor } from './hints.ts'
import { linksOf } from './mail-links.ts'
import { PreviewCanvas } from './preview-canvas.tsx'
import type { Preview } from './use-preview.ts'

export const VIEWS = ['mail', 'text', 'raw', 'links'] as const
export type View = (typeof VIEWS)[number]

const VIEW_LABEL: Record<View, string> = { mail: 'Email', text: 'Plain text', raw: 'Raw', links: 'Links' }

interface PreviewPaneProps {
  title: string
  /** Who reads it, and how that is chosen. */
  whose: ReactNode
  preview: Pick<UseQueryResult<Preview>, 'data' | 'error' | 'isPlaceholderData'>
  /** Not a letter is there yet. */
  isUnwritten: boolean
  view: View
  onView: (view: View) => void
  isPhone: boolean
  onPhone: (isPhone: boolean) => void
}

/** What one real person will read, beside what is being written. */
export function PreviewPane(props: PreviewPaneProps) {
  const { title, whose, preview, isUnwritten, view, onView, isPhone, onPhone } = props
  const { data, error, isPlaceholderData } = preview
  return (
    <section
      aria-label="Preview"
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-border bg-surface p-4 shadow-card"
    >
      <header className="flex items-center gap-2">
        <h2 className="font-semibold text-sm">{title}</h2>
        {whose}
      </header>
      <div className="flex flex-wrap items-center gap-1">
        <fieldset className="flex gap-0.5">
          <legend className="sr-only">What is shown</legend>
          {VIEWS.map((one) => (
            <Choice key={one} isOn={one === view} onChoose={() => onView(one)}>
              {VIEW_LABEL[one]}
            </Choice>
          ))}
        </fieldset>
        {view === 'mail' && (
          <fieldset className="ml-auto flex gap-0.5">
            <legend className="sr-only">How wide</legend>
            <Choice isOn={!isPhone} onChoose={() => onPhone(false)} label="Desktop">
              <Monitor aria-hidden className="size-4" />
            </Choice>
            <Choice isOn={isPhone} onChoose={() => onPhone(true)} label="Phone">
              <Smartphone aria-hidden className="size-4" />
            </Choice>
          </fieldset>
        )}
      </div>
      <Refreshing isStale={isPlaceholderData} className="flex min-w-0 flex-col gap-3">
        {error && !data && <Callout tone="warning">{messageOf(error)}</Callout>}
        {isUnwritten ? (
          <p className="py-6 text-center text-muted text-sm">
            Write the email, and see here what this person will read.
          </p>
        ) : data ? (
          <Shown preview={data} view={view} isPhone={isPhone} />
        ) : (
          !error && <Skeleton className="h-64 w-full" />
        )}
      </Refreshing>
    </section>
  )
}

function Choice({
  isOn,
  onChoose,
  label,
  children,
}: {
  isOn: boolean
  onChoose: () => void
  label?: string
  children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      onClick={onChoose}
      className={clsx(buttonStyle({ variant: 'ghost', size: 'sm' }), isOn ? 'bg-sunken' : 'text-muted')}
    >
      {children}
    </button>
  )
}

function Shown({ preview, view, isPhone }: { preview: Preview; view: View; isPhone: boolean }) {
  const notes = preview.notes.map((note) => (
    <p key={note} className="text-[0.8125rem] text-muted">
      {note}
    </p>
  ))
  const cures = <WhereToSetUp lacks={preview.lacks} />
  if (preview.kind !== 'content') {
    return (
      <>
        <Callout tone="warning" title="They would not get it like this">
          {preview.sentence}
        </Callout>
        {notes}
        {cures}
      </>
    )
  }
  const { from, to, subject, html, text, raw } = preview
  const hints = hintsFor({ subject, html, raw })
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-[0.8125rem] [&>dt]:text-muted [&>dd]:break-words">
        <dt>From</dt>
        <dd>{correspondent(from)}</dd>
        <dt>To</dt>
        <dd>{correspondent(to)}</dd>
        <dt>Subject</dt>
        <dd className="font-medium">{subject}</dd>
      </dl>
      {view === 'mail' &&
        (html === '' ? <Source>{text}</Source> : <PreviewCanvas html={html} title="The mail" isPhone={isPhone} />)}
      {view === 'text' && <Source>{text}</Source>}
      {view === 'raw' && <Source isCode>{raw}</Source>}
      {view === 'links' && <Links html={html} />}
      {hints.length > 0 && (
        <Callout title={hints.length === 1 ? 'A hint' : `${hints.length} hints`}>
          <ul className="flex list-disc flex-col gap-1 pl-4">
            {hints.map((hint) => (
              <li key={hint}>{hint}</li>
            ))}
          </ul>
        </Callout>
      )}
      {notes}
      {cures}
    </>
  )
}

const SET_UP: Record<Preview['lacks'][number], { href: string; words: string }> = {
  mailbox: { href: '/mailboxes?do=add', words: 'Add a mailbox' },
  'postal-address': { href: '/settings/sending#postal-address', words: 'Enter the postal address' },
}

/** The way to what a placeholder stands for, for those who may set it up. */
function WhereToSetUp({ lacks }: Pick<Preview, 'lacks'>) {
  const { workspace } = useSession()
  if (lacks.length === 0 || !isAtLeast(workspace.role, 'admin')) return null
  return (
    <p className="flex flex-wrap gap-2">
      {lacks.map((lack) => (
        <IntentLink key={lack} href={SET_UP[lack].href} className={buttonStyle({ size: 'sm' })}>
          {SET_UP[lack].words}
        </IntentLink>
      ))}
    </p>
  )
}

const correspondent = ({ name, address }: { name: string; address: string }) =>
  name ? `${name} <${address}>` : address

function Source({ isCode = false, children }: { isCode?: boolean; children: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
      tabIndex={0}
      className={clsx(
        'max-h-[32rem] overflow-auto whitespace-pre-wrap break-words rounded-md border border-border bg-sunken p-3',
        isCode ? 'font-mono text-xs' : 'font-sans text-sm',
      )}
    >
      {children}
    </pre>
  )
}

function Links({ html }: { html: string }) {
  const links = linksOf(html)
  if (links.length === 0)
    return <p className="text-muted text-sm">No link stands in this email but the way out below it.</p>
  return (
    <ul className="flex flex-col gap-2.5">
      {links.map(({ href, words, problem }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same link may stand twice
        <li key={`${index} ${href}`} className="min-w-0 text-sm">
          <p className="font-medium">{words || 'No words'}</p>
          <a
            href={problem && !/^https?:/i.test(href) ? undefined : href}
            target="_blank"
            rel="noreferrer"
            className="inline-flex max-w-full items-center gap-1 break-all text-[0.8125rem] text-accent-text underline"
          >
            {href}
            <ExternalLink aria-label="(opens in a new tab)" className="size-3.5 shrink-0" />
          </a>
          <p className={problem ? 'text-[0.8125rem] text-warning-text' : 'text-[0.8125rem] text-muted'}>
            {problem ?? 'Looks right. Open it to be sure that it leads where it should.'}
          </p>
        </li>
      ))}
    </ul>
  )
}
