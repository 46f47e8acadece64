'use client'

import dynamic from 'next/dynamic'
import { useState } from 'react'
import { api } from '#components/api-client.ts'
import { useLeaveGuard } from '#components/form/leave-guard.tsx'
import { useSession } from '#components/session/session-context.tsx'
import { usePageKeys } from '#components/shell/page-keys.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { emailNode } from '../branches/graph-draft.ts'
import { useCoverage } from '../fields/use-coverage.ts'
import { PersonPicker, type PickedPerson, usePeople } from '../preview/person-picker.tsx'
import { PreviewPane } from '../preview/preview-pane.tsx'
import { type PreviewAsk, usePreview } from '../preview/use-preview.ts'
import { UNNAMED } from '../start-sequence.ts'
import { draftOf, graphOf, isUnwritten, type Sequence, threadSubjectOf } from './draft.ts'
import { EditorHeader } from './editor-header.tsx'
import { OtherVersion } from './other-version.tsx'
import { StepList } from './step-list.tsx'
import { useEditorView } from './use-editor-view.ts'
import { useSequenceEditor } from './use-sequence-editor.ts'
import type { Version } from './versions-dialog.tsx'

const EffectDialog = dynamic(async () => (await import('./effect-dialog.tsx')).EffectDialog, { ssr: false })
const VersionsDialog = dynamic(async () => (await import('./versions-dialog.tsx')).VersionsDialog, { ssr: false })
const PathPane = dynamic(async () => (await import('../branches/path-pane.tsx')).PathPane, { ssr: false })
const TestSendDialog = dynamic(async () => (await import('./test-send-dialog.tsx')).TestSendDialog, { ssr: false })

type Opened = 'effect' | 'history' | 'test' | null

const NOT_SAVED =
  'What you wrote is kept in this browser and is here again when you come back. It is not sent before it is saved.'

export function SequenceEditor({ live }: { live: Sequence }) {
  const { workspace } = useSession()
  const editor = useSequenceEditor(live)
  const { draft, base, other, isLaunched, isDirty, change } = editor
  const coverage = useCoverage(workspace.id)
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const view = useEditorView(draft.steps.length)
  const [picked, setPicked] = useState<PickedPerson | null>(null)
  const people = usePeople('')
  const person = picked ?? people.data?.prospects[0] ?? null
  const leaving = useLeaveGuard(isDirty, NOT_SAVED)

  const shown = draft.steps[view.step - 1]
  const ask: PreviewAsk = {
    stepNumber: view.step,
    ...(person && { prospectId: person.id }),
    texts: { subject: shown?.subject ?? '', bodyText: shown?.bodyText ?? '', bodyHtml: shown?.bodyHtml ?? '' },
    threadSubject: threadSubjectOf(draft.steps, view.step - 1),
  }
  const preview = usePreview(live.id, ask)
  const graph = graphOf(draft)
  usePageKeys([{ keys: ['h'], label: 'Show the history', action: () => setOpened('history') }])

  const sendTest = (mailboxId: string) =>
    api('POST /api/sequences/[id]/test-send', {
      params: { id: live.id },
      body: { ...ask, mailboxId },
      workspaceId: workspace.id,
    })

  function startOver() {
    editor.restore(draftOf(base))
    toastWithUndo('You see what is saved.', async () => {
      editor.restore(draft)
      return 'Your changes are back.'
    })
  }

  function bringBack(version: Version) {
    const before = draft
    const brought = draftOf(version)
    // Steps that were launched since then keep their places.
    const kept = isLaunched ? draft.steps.slice(brought.steps.length) : []
    const steps = [...brought.steps, ...kept]
    const nodes = brought.nodes && [...brought.nodes, ...kept.map(({ key }) => emailNode(key))]
    editor.restore({ ...brought, steps, nodes })
    close()
    const next = isLaunched ? ' Save it, and it is what goes out next.' : ''
    toastWithUndo(`Version ${version.version} is in the editor.${next}`, async () => {
      editor.restore(before)
      return 'The text is as it was.'
    })
  }

  return (
    <>
      <EditorHeader
        back={{ href: '/sequences', label: 'Sequences' }}
        what="sequence"
        name={draft.name}
        isNew={draft.name === UNNAMED && draft.steps.every(isUnwritten)}
        badge={<Badge tone={isLaunched ? 'accent' : 'neutral'}>{isLaunched ? 'Launched' : 'Not launched'}</Badge>}
        saveState={editor.saveState}
        onRename={(name) => change((current) => ({ ...current, name }))}
        onHistory={() => setOpened('history')}
        onTest={shown && (() => setOpened('test'))}
        onSave={isLaunched ? () => setOpened('effect') : undefined}
        maySave={isDirty && other === null}
      />
      {other && (
        <OtherVersion
          other={other}
          mine={draft}
          onTake={() => {
            editor.takeOther()
            toast.success('You see that version now.')
          }}
          onKeep={editor.keepMine}
        />
      )}
      {isLaunched && !other && (
        <Callout
          className="mb-4"
          actions={
            isDirty && (
              <Button size="sm" onClick={startOver}>
                Throw my changes away
              </Button>
            )
          }
        >
          This sequence has been launched. Texts and waits may change, and steps may follow the last one; what has been
          sent stays as it is.{graph && ' Branches may change as well, for people who begin later.'} Nothing changes
          before you save.
        </Callout>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,28rem)]">
        <StepList
          sequenceId={live.id}
          draft={draft}
          coverage={coverage}
          fixedSteps={isLaunched ? base.steps.length : 0}
          problems={isDirty ? [] : base.problems}
          shownStep={view.step}
          onChange={change}
          onShow={view.showStep}
        />
        <div
          id="preview"
          className="min-w-0 scroll-mt-18 xl:sticky xl:top-18 xl:max-h-[calc(100dvh-5.5rem)] xl:self-start xl:overflow-y-auto"
        >
          {shown && (
            <PreviewPane
              title={`Step ${ask.stepNumber} as`}
              whose={<PersonPicker person={person} onPick={setPicked} />}
              preview={preview}
              isUnwritten={isUnwritten(shown)}
              view={view.view}
              onView={view.showView}
              isPhone={view.isPhone}
              onPhone={view.showPhone}
            />
          )}
          {graph && <PathPane sequenceId={live.id} graph={graph} steps={draft.steps} person={person} />}
        </div>
      </div>
      {opened === 'effect' && (
        <EffectDialog sequenceId={live.id} draft={draft} tryOut={editor.tryOut} onSave={editor.save} onClose={close} />
      )}
      {opened === 'history' && (
        <VersionsDialog sequenceId={live.id} currentVersion={base.version} onBringBack={bringBack} onClose={close} />
      )}
      {opened === 'test' && (
        <TestSendDialog title={`Send yourself step ${ask.stepNumber}`} send={sendTest} onClose={close} />
      )}
      {leaving}
    </>
  )
}
