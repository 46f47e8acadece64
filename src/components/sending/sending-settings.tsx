'use client'

import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { messageOf } from '../api-client.ts'
import { fieldErrorsOf, useSubmit } from '../form/use-submit.ts'
import { LostServer } from '../live/lost-server.tsx'
import { useMailboxes } from '../mailboxes/use-mailboxes.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { changesPlan, type Draft, type Settings } from './draft.ts'
import { LimitsPanel } from './limits-panel.tsx'
import { SaveBar } from './save-bar.tsx'
import { SendingForm } from './sending-form.tsx'
import { useKeptDraft } from './use-kept-draft.ts'
import { useLimits, usePreview, useSaveSending, useSendingDraft } from './use-sending.ts'

export function SendingSettings() {
  const { workspace } = useSession()
  const query = useSendingDraft()
  const { data, error, isFetching, refetch } = query
  const mayChange = isAtLeast(workspace.role, 'admin')
  return (
    <>
      <PageHeader title="Sending settings" description="When emails go, how many, and what limits them today." />
      {!mayChange && <Callout className="mb-4">You can see these settings. Admins and owners change them.</Callout>}
      <LostServer query={query} />
      {error && !data ? (
        <LoadError
          title="The sending settings could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : data ? (
        <Loaded settings={data.settings} saved={data.draft} mayChange={mayChange} />
      ) : (
        <Card title="When emails go">
          <LoadingNote what="Loading the sending settings" />
          <Skeleton className="h-56 w-full" />
        </Card>
      )}
    </>
  )
}

interface LoadedProps {
  settings: Settings
  saved: Draft
  mayChange: boolean
}

function Loaded({ settings, saved, mayChange }: LoadedProps) {
  const { workspace } = useSession()
  const { draft, base, isDirty, isOvertaken, change, settle, keep } = useKeptDraft(`sending ${workspace.id}`, saved)
  const movesNothing = !changesPlan(draft, base)
  const save = useSaveSending()
  const limits = useLimits()
  const mailboxes = useMailboxes()
  const preview = usePreview(draft, mayChange && isDirty && !movesNothing)
  const wished = isDirty && preview.isCurrent ? preview.data : undefined

  const { formProps, isRunning, errorAt, message } = useSubmit(async () => {
    const [before, after] = [base, draft]
    await save(before, after, before.version)
    settle(after)
    toastWithUndo('The sending settings are saved. What waits is planned again.', async () => {
      await save(after, before)
      settle(before)
      return 'The sending settings are as they were.'
    })
  })

  return (
    <form {...formProps}>
      <FormError message={message} className="mb-4" />
      {isOvertaken && (
        <Callout
          tone="warning"
          className="mb-4"
          title="Another person has changed these settings"
          actions={
            <>
              <Button size="sm" onClick={() => settle(saved)}>
                Take theirs
              </Button>
              <Button size="sm" onClick={keep}>
                Keep mine
              </Button>
            </>
          }
        >
          Yours are not saved yet. Saving yours would undo theirs.
        </Callout>
      )}
      {mayChange && (
        <SaveBar
          isDirty={isDirty}
          effect={wished?.effect}
          problem={!movesNothing && preview.isCurrent && preview.error ? problemIn(preview.error) : null}
          isAsking={preview.isFetching || !preview.isCurrent}
          movesNothing={movesNothing}
          timeZone={settings.timeZone}
          isSaving={isRunning}
          onDiscard={() => settle(saved)}
        />
      )}
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <SendingForm
          draft={draft}
          settings={settings}
          mailboxes={mailboxes.data?.mailboxes ?? []}
          change={change}
          errorAt={errorAt}
          isDisabled={!mayChange}
        />
        <div className="xl:sticky xl:top-32">
          <LimitsPanel limits={wished?.limits ?? limits.data} isWished={wished !== undefined} />
        </div>
      </div>
    </form>
  )
}

/** In the words that stand at the field: its name in the API says nothing to a person. */
const problemIn = (error: unknown) => Object.values(fieldErrorsOf(error))[0] ?? messageOf(error)
