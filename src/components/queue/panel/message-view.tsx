'use client'

import clsx from 'clsx'
import { useState } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { PreviewCanvas } from '../../sequences/preview/preview-canvas.tsx'
import type { Detail } from './use-email.ts'

type Content = NonNullable<Detail['content']>
type View = 'mail' | 'text' | 'raw'

const VIEWS: Record<View, string> = { mail: 'As read', text: 'Plain text', raw: 'Raw' }

/** The message as it was handed over: in a frame in which nothing runs, as text, and with its headers. */
export function MessageView({ content, bcc }: Pick<Detail, 'content' | 'bcc'>) {
  const [view, setView] = useState<View>('mail')
  return (
    <section aria-labelledby="email-message">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 id="email-message" className="font-semibold text-sm">
          Message
        </h3>
        {content && (
          <div className="flex gap-1">
            {(Object.keys(VIEWS) as View[]).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={view === one}
                onClick={() => setView(one)}
                className={clsx(
                  buttonStyle({ variant: 'ghost', size: 'sm' }),
                  view === one ? 'bg-sunken' : 'text-muted',
                )}
              >
                {VIEWS[one]}
              </button>
            ))}
          </div>
        )}
      </div>
      {bcc.length > 0 && (
        <p className="wrap-anywhere mb-2 text-[0.8125rem] text-muted">Blind copy to {bcc.join(', ')}</p>
      )}
      {content ? (
        <Shown content={content} view={view} />
      ) : (
        <p className="text-muted text-sm">
          It is written when it is handed over first; until then its text may change.
        </p>
      )}
    </section>
  )
}

function Shown({ content, view }: { content: Content; view: View }) {
  const { html, text } = content
  if (view === 'mail' && html !== '') return <PreviewCanvas html={html} title="The message" isPhone={false} />
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
      tabIndex={0}
      className={clsx(
        'wrap-anywhere max-h-[32rem] overflow-auto whitespace-pre-wrap rounded-md border border-border bg-sunken p-3',
        view === 'raw' ? 'font-mono text-xs' : 'font-sans text-sm',
      )}
    >
      {view === 'raw' ? rawOf(content) : text}
    </pre>
  )
}

const correspondent = ({ name, address }: Content['from']) => (name ? `${name} <${address}>` : address)

/** Header by header, with both texts below: what the worker was given, before it was put into the coding of mail. */
function rawOf(content: Content): string {
  const { from, to, subject, messageId, date, headers, text, html } = content
  const head = {
    From: correspondent(from),
    To: correspondent(to),
    Subject: subject,
    'Message-ID': messageId,
    Date: new Date(date).toUTCString(),
    ...headers,
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`)
  return [...lines, '', text, ...(html === '' ? [] : ['', html])].join('\n')
}
