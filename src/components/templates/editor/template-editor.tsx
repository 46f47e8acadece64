'use client'

import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { api, messageOf } from '#components/api-client.ts'
import { useLeaveGuard } from '#components/form/leave-guard.tsx'
import { BodyField } from '#components/sequences/editor/body-field.tsx'
import { isUnwritten } from '#components/sequences/editor/draft.ts'
import { EditorHeader } from '#components/sequences/editor/editor-header.tsx'
import { notesOn, StepNotes } from '#components/sequences/editor/step-notes.tsx'
import { SubjectField } from '#components/sequences/editor/subject-field.tsx'
import { useEditorView } from '#components/sequences/editor/use-editor-view.ts'
import { FieldText } from '#components/sequences/fields/field-text.tsx'
import type { Coverage } from '#components/sequences/fields/field-words.ts'
import { PreviewPane } from '#components/sequences/preview/preview-pane.tsx'
import { useSession } from '#components/session/session-context.tsx'
import { usePageKeys } from '#components/shell/page-keys.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { TEMPLATES } from '../place.ts'
import { CallCard } from './call-card.tsx'
import { draftOf, fieldsOf, type Template } from './draft.ts'
import { FieldsCard } from './fields-card.tsx'
import { useTemplateEditor, useTemplatePreview } from './use-template-editor.ts'

const TestSendDialog = dynamic(
  async () => (await import('#components/sequences/editor/test-send-dialog.tsx')).TestSendDialog,
  { ssr: false },
)

const NOT_SAVED =
  'What you wrote is kept in this browser and is here again when you come back. Programs send what is saved.'

export function TemplateEditor({ live }: { live: Template }) {
  const { workspace } = useSession()
  const editor = useTemplateEditor(live)
  const { draft, base, other, isDirty, change } = editor
  const { text } = draft
  const [said, setSaid] = useState<Record<string, string>>({})
  const [isTesting, setIsTesting] = useState(false)
  const view = useEditorView(1)
  const leaving = useLeaveGuard(isDirty, NOT_SAVED)
  const fields = useMemo(() => fieldsOf(text), [text])
  // Nobody lacks anything: a call says it, or is refused.
  const coverage: Coverage = { people: 0, lacking: new Map(fields.map(({ field }) => [field, 0])) }
  const known = new Set(fields.map(({ field }) => field))
  const ask = {
    texts: { subject: text.subject, bodyText: text.bodyText, bodyHtml: text.bodyHtml },
    fields: Object.fromEntries(Object.entries(said).filter(([field]) => known.has(field))),
  }
  const preview = useTemplatePreview(live.id, ask)
  const { problems } = notesOn(text, coverage)
  const savedProblems = isDirty ? [] : base.problems.map(({ sentence }) => sentence)

  const save = () => void editor.save().catch((error: unknown) => toast.error(messageOf(error)))
  const maySave = isDirty && other === null && !editor.isSaving
  usePageKeys([{ keys: ['s'], label: 'Save the template', action: () => maySave && save() }])
  const sendTest = (mailboxId: string) =>
    api('POST /api/templates/[id]/test-send', {
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

  return (
    <>
      <EditorHeader
        back={TEMPLATES}
        what="template"
        name={draft.name}
        isNew={false}
        saveState={editor.saveState}
        onRename={(name) => change((current) => ({ ...current, name }))}
        onTest={() => setIsTesting(true)}
        onSave={save}
        saveLabel="Save"
        maySave={maySave}
      />
      {other && (
        <div role="alert" className="mb-4">
          <Callout
            tone="warning"
            title="This template was saved elsewhere while you were writing"
            actions={
              <>
                <Button onClick={editor.takeOther}>Take that version</Button>
                <Button onClick={editor.keepMine}>Keep mine</Button>
              </>
            }
          >
            <p>
              Nothing is overwritten before you decide. Its subject says: “
              <FieldText text={other.subject || '(empty)'} />
              ”.
            </p>
          </Callout>
        </div>
      )}
      {!other && (
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
          Programs send what is saved, from the moment you save it. What they asked for before goes out as it was.
        </Callout>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,28rem)]">
        <div className="flex min-w-0 flex-col gap-6">
          <Card
            title="What is sent"
            description="Write {{custom.order}} for a field of your own; a call says what it is."
          >
            <div className="flex min-w-0 flex-col gap-4">
              <SubjectField
                of="the template"
                value={text.subject}
                coverage={coverage}
                onChange={(subject) => change((current) => ({ ...current, text: { ...current.text, subject } }))}
              />
              <BodyField
                of="the template"
                step={text}
                isAdded={false}
                coverage={coverage}
                onChange={(changed) => change((current) => ({ ...current, text: changed }))}
              />
              {!isUnwritten(text) && <StepNotes problems={[...new Set([...problems, ...savedProblems])]} lacks={[]} />}
            </div>
          </Card>
          <CallCard name={base.name} fields={fields} />
        </div>
        <div
          id="preview"
          className="flex min-w-0 scroll-mt-18 flex-col gap-6 xl:sticky xl:top-18 xl:max-h-[calc(100dvh-5.5rem)] xl:self-start xl:overflow-y-auto"
        >
          {fields.length > 0 && <FieldsCard fields={fields} said={said} onSay={setSaid} />}
          <PreviewPane
            title="As you would get it"
            whose={null}
            preview={preview}
            isUnwritten={isUnwritten(text)}
            view={view.view}
            onView={view.showView}
            isPhone={view.isPhone}
            onPhone={view.showPhone}
          />
        </div>
      </div>
      {isTesting && (
        <TestSendDialog title="Send yourself this template" send={sendTest} onClose={() => setIsTesting(false)} />
      )}
      {leaving}
    </>
  )
}
