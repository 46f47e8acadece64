'use client'

import clsx from 'clsx'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { messageOf } from '../api-client.ts'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { LedgerBar, type LedgerPart } from '../ui/ledger-bar.tsx'
import { SOLID_TONE } from '../ui/tones.ts'
import { useUrlParams } from '../use-url-params.ts'
import { ChooseAgain } from './choose-again.tsx'
import type { ImportDraft } from './import-draft.ts'
import { type Report, rejectedLinesOf } from './import-form.ts'

interface Outcome extends LedgerPart {
  href: string
  sentence: string
}

/** What became of every line; each number leads to those whom it counts. */
export function ReportView({ report, draft }: { report: Report; draft: ImportDraft | null }) {
  const { hrefWith } = useUrlParams()
  const people = (outcome: string) => `/prospects?import=${report.id}&outcome=${outcome}`
  const lines = (kind: string) => hrefWith({ kind, job: report.id })
  const outcomes: Outcome[] = [
    ...[
      part('created', 'Created', 'success', people('created'), 'New here.'),
      part('updated', 'Updated', 'accent', people('updated'), 'Known, and changed by the file.'),
      part('revived', 'Brought back', 'accent', people('revived'), 'Archived or erased before; the same people again.'),
      part('unchanged', 'Unchanged', 'neutral', people('unchanged'), 'Known, and left as they are.'),
      part('duplicates', 'Duplicates', 'neutral', lines('duplicate'), 'The same address again; its first line counts.'),
    ],
    ...[
      part('suppressed', 'Suppressed', 'warning', lines('suppressed'), 'Their address or domain gets no email.'),
      part('unsubscribed', 'Unsubscribed', 'warning', lines('unsubscribed'), 'They asked for no more email.'),
      part('rejected', 'Rejected', 'danger', lines('rejected'), 'The line could not be taken; see why below.'),
    ],
  ]
  function part(
    key: 'created' | 'updated' | 'revived' | 'unchanged' | 'duplicates' | 'suppressed' | 'unsubscribed' | 'rejected',
    label: string,
    tone: LedgerPart['tone'],
    href: string,
    sentence: string,
  ): Outcome {
    return { key, label, tone, href, sentence, count: report[key] }
  }
  const taken = report.created + report.updated + report.revived + report.unchanged
  return (
    <Card
      title={`What became of ${report.fileName ?? 'the file'}`}
      actions={report.rejected > 0 && <RejectedButton report={report} draft={draft} />}
    >
      <LedgerBar label="The lines of the file" unit="lines" parts={outcomes} total={report.lines} isLegendBeside />
      {report.notes.map((note) => (
        <Callout key={note} className="mt-3">
          {note}
        </Callout>
      ))}
      <ul className="mt-4 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {outcomes.map(({ key, label, tone, href, sentence, count }) => (
          <li key={key} className="flex items-baseline gap-3 py-1 text-sm">
            <span className="min-w-8 shrink-0 text-right font-medium tabular-nums">
              {count > 0 ? (
                <IntentLink href={href} className="text-accent-text underline-offset-2 hover:underline">
                  {count.toLocaleString('en')} <span className="sr-only">{label.toLowerCase()}</span>
                </IntentLink>
              ) : (
                <span className="text-muted">0</span>
              )}
            </span>
            <span>
              <span aria-hidden className={clsx('mr-2 inline-block size-2 rounded-full', SOLID_TONE[tone])} />
              {label}. <span className="text-muted">{sentence}</span>
            </span>
          </li>
        ))}
      </ul>
      {taken > 0 && report.finishedAt && (
        <p className="mt-4 border-border border-t pt-3 text-sm">
          They can be written to now:{' '}
          <IntentLink href="/campaigns?new=yes" className="text-accent-text underline underline-offset-2">
            make a campaign
          </IntentLink>
          {' for them, or '}
          <IntentLink href="/sequences" className="text-accent-text underline underline-offset-2">
            write a sequence
          </IntentLink>{' '}
          first.
        </p>
      )}
    </Card>
  )
}

/** The rejected lines as they were, with their reasons: to mend, and to import again. */
function RejectedButton({ report, draft }: { report: Report; draft: ImportDraft | null }) {
  const { workspace } = useSession()
  const [isLoading, setIsLoading] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const kept = draft?.jobId === report.id ? draft : null

  async function download(file: Blob, name: string) {
    setIsLoading(true)
    try {
      saveFile(await rejectedLinesOf(workspace.id, report.id, { file, name }), 'rejected-lines.csv')
      setIsAsking(false)
    } catch (error) {
      toast.error(messageOf(error))
    } finally {
      setIsLoading(false)
    }
  }

  return (
    <div className="flex flex-col items-end">
      <Button
        icon={<Download />}
        isLoading={isLoading}
        onClick={() => (kept ? void download(kept.file, kept.name) : setIsAsking(true))}
      >
        Download rejected lines
      </Button>
      {isAsking && (
        <ChooseAgain
          sentence="Nothing of what lines said is kept here. Choose the same file again, and its rejected lines are picked out."
          onFile={(file, name) => void download(file, name)}
        />
      )}
    </div>
  )
}
