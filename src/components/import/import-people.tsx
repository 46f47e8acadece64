'use client'

import { FileUp } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { ColumnsStep } from './columns-step.tsx'
import type { ImportChoices, ImportDraft } from './import-draft.ts'
import { Issues } from './issues.tsx'
import { Progress } from './progress.tsx'
import { RecentImports } from './recent-imports.tsx'
import { ReportView } from './report-view.tsx'
import { SourceStep } from './source-step.tsx'
import { type ImportControls, useImport } from './use-import.ts'
import { useReport } from './use-report.ts'

interface ImportPeopleProps {
  /** Inside of another page, which has a head of its own. */
  isPart?: boolean
  /** What may be done with the people of an import that is over. */
  whenDone?: (importId: string) => ReactNode
}

/** From a file to its report, on one page. */
export function ImportPeople({ isPart = false, whenDone }: ImportPeopleProps) {
  const controls = useImport()
  const { jobId, startAnew } = controls
  const again = (
    <Button icon={<FileUp />} onClick={startAnew}>
      Import another file
    </Button>
  )
  return (
    <>
      {isPart ? (
        jobId && <div className="mb-3">{again}</div>
      ) : (
        <PageHeader
          title="Import people"
          description="From a CSV file or a paste. You see what becomes of every line before and after."
          back={{ href: '/prospects', label: 'Prospects' }}
          actions={jobId && again}
        />
      )}
      {jobId ? <Job jobId={jobId} controls={controls} whenDone={whenDone} /> : <Steps controls={controls} />}
    </>
  )
}

function Steps({ controls }: { controls: ImportControls }) {
  const { draft, preview, problem, isTakingUp, isReading, isSending, choose, look, send, keep, startAnew } = controls
  if (draft?.stage === 'running' && problem)
    return <NotSent problem={problem} onAgain={() => void send(draft)} onOther={startAnew} />
  if (isSending || draft?.stage === 'running') return <Sending name={draft?.name} />
  if (draft && preview && hasChoices(draft))
    return (
      <ColumnsStep
        draft={draft}
        preview={preview}
        problem={problem}
        onChange={(choices) => void keep({ ...draft, choices })}
        onReadAs={(choice) => void look(draft, choice)}
        onStart={(choices) => void send({ ...draft, choices })}
        onCancel={startAnew}
      />
    )
  return (
    <>
      <SourceStep
        problem={problem}
        isReading={isReading}
        isBusy={isTakingUp}
        onFile={(file, name) => void choose(file, name)}
      />
      <RecentImports />
    </>
  )
}

function hasChoices(draft: ImportDraft): draft is ImportDraft & { choices: ImportChoices } {
  return draft.choices !== null
}

function Sending({ name = 'The file' }: { name?: string | undefined }) {
  return (
    <div role="status" className="rounded-lg border border-border bg-surface px-4 py-6 text-sm shadow-card">
      {name} is on its way to the server…
    </div>
  )
}

/** No answer came. Sending the same file again is safe: what is in already is passed over. */
function NotSent({ problem, onAgain, onOther }: { problem: string; onAgain: () => void; onOther: () => void }) {
  return (
    <div role="alert">
      <Callout
        tone="danger"
        title="The file did not arrive, or no answer came back."
        actions={
          <>
            <Button variant="primary" onClick={onAgain}>
              Send it again
            </Button>
            <Button onClick={onOther}>Another file</Button>
          </>
        }
      >
        {problem} Nobody is imported twice by sending it again.
      </Callout>
    </div>
  )
}

type JobProps = { jobId: string; controls: ImportControls } & Pick<ImportPeopleProps, 'whenDone'>

function Job({ jobId, controls, whenDone }: JobProps) {
  const { draft, isSending, send, keep } = controls
  const { change } = useUrlParams()
  const { data, error, isPending, isFetching, refetch } = useReport(jobId)
  const isDone = data !== undefined && data.report.finishedAt !== null
  const onDone = useEffectEvent(() => {
    // A file that is in is not sent again when this page is opened the next time.
    if (draft?.jobId === jobId && draft.stage === 'running') void keep({ ...draft, stage: 'done' })
  })
  const keptStage = draft?.stage
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft may be read after the report
  useEffect(() => {
    if (isDone) onDone()
  }, [isDone, keptStage])
  if (isPending)
    return (
      <div>
        <LoadingNote what="Loading the import" />
        <Skeleton className="h-40 w-full" />
      </div>
    )
  if (!data)
    return (
      <LoadError
        title="The import could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  const { report, issues, nextCursor } = data
  if (report.finishedAt)
    return (
      <>
        <ReportView report={report} draft={draft} />
        {whenDone && <div className="mt-3 flex justify-end">{whenDone(jobId)}</div>}
        {report.issuesKept > 0 && <Issues issues={issues} nextCursor={nextCursor} />}
      </>
    )
  const isMine = draft?.jobId === jobId && draft.choices !== null && !isSending
  return (
    <Progress
      report={report}
      onStandstill={isMine ? () => void send(draft) : null}
      onFile={async (file, name) => {
        // The same file with other choices would be another import, so it begins with them.
        await keep({ file, name, stage: 'columns', choices: null, jobId: null, sentAtMs: null })
        change({ job: null })
        await controls.choose(file, name)
      }}
    />
  )
}
