'use client'

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { apiWithProgress } from '../api-progress.ts'
import { counted } from '../counted.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Callout } from '../ui/callout.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote } from '../ui/skeleton.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { lookOf, wordsOfReturn } from './mailbox-words.ts'
import { TestSteps, testFailureIn, useTestRun } from './test-steps.tsx'
import { useMailboxes, useRefreshMailboxes } from './use-mailboxes.ts'

type Finished = Received<'POST /api/mailboxes/gmail/callback'>

/** Where Google sends a person back to: the mailbox is tried before their eyes, and kept where it works. */
export function GmailReturn() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const refresh = useRefreshMailboxes()
  const { run, begin, reach, succeed, fail, forget } = useTestRun()
  const [finished, setFinished] = useState<Finished | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [retried, setRetried] = useState(0)
  const [isRunning, setIsRunning] = useState(false)
  const hasBegun = useRef(false)
  const [state, code, refusal] = [params.get('state'), params.get('code'), params.get('error')]
  const connected = params.get('connected')
  const mayChange = isAtLeast(workspace.role, 'admin')
  const isNotFromGoogle = !run && !(state && code)

  async function finish(given: { state: string; code: string }) {
    begin('login')
    try {
      const answer = await apiWithProgress(
        'POST /api/mailboxes/gmail/callback',
        { body: given, workspaceId: workspace.id },
        reach,
      )
      succeed()
      setFinished(answer)
      // The way back is open once: loaded again, the page says what came of it.
      change({ state: null, code: null, scope: null, connected: answer.mailbox.id }, 'replace')
      await refresh()
    } catch (error) {
      const failure = testFailureIn(error)
      if (failure) fail(failure)
      else {
        forget()
        setProblem(messageOf(error))
      }
    }
  }

  async function retry({ mailbox }: Finished) {
    setIsRunning(true)
    try {
      const answer = await api('POST /api/mailboxes/[id]/test', {
        params: { id: mailbox.id },
        body: { retryFailed: true },
        workspaceId: workspace.id,
      })
      if (answer.test.ok) setRetried(answer.retried)
      else setProblem(answer.test.sentence)
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setIsRunning(false)
    }
  }

  const begins = useEffectEvent(() => {
    // React calls effects twice while a page is being written; the way back is open once.
    if (hasBegun.current || !mayChange || !state || !code) return
    hasBegun.current = true
    void finish({ state, code })
  })
  useEffect(() => begins(), [])

  const left = finished ? finished.failedByLogin - retried : 0
  return (
    <>
      <PageHeader title="Connect Gmail" back={{ href: '/mailboxes', label: 'Mailboxes' }} />
      <div className="flex max-w-xl flex-col gap-4">
        {!mayChange && <Callout>Only admins and owners connect mailboxes. Ask one of them.</Callout>}
        {mayChange && isNotFromGoogle && connected === null && (
          <Callout tone={refusal ? 'warning' : 'info'}>{wordsOfReturn(refusal)}</Callout>
        )}
        {mayChange && isNotFromGoogle && connected !== null && <ConnectedBefore id={connected} />}
        <FormError message={problem} />
        {run && (
          <TestSteps run={run} path={{ isGmail: true, makesDrafts: finished?.mailbox.gmail?.sends !== 'directly' }} />
        )}
        <div role="status" className="text-sm">
          {finished && <Connected finished={finished} retried={retried} />}
        </div>
        <div className="flex flex-wrap gap-2">
          {finished && left > 0 && (
            <Button variant="primary" isLoading={isRunning} onClick={() => retry(finished)}>
              Retry {counted(left, 'email')}
            </Button>
          )}
          {(finished || problem || run?.failure || isNotFromGoogle) && (
            <IntentLink href="/mailboxes" className="inline-flex h-9 items-center text-accent-text text-sm underline">
              Go to the mailboxes
            </IntentLink>
          )}
        </div>
      </div>
    </>
  )
}

/** Loaded again after it was connected. The address is anybody's to write, so the mailbox itself is asked how it is. */
function ConnectedBefore({ id }: { id: string }) {
  const { workspace } = useSession()
  const { data, error, isFetching, refetch } = useMailboxes()
  if (error && !data)
    return (
      <LoadError
        title="The mailbox could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  if (!data) return <LoadingNote what="Loading the mailbox" />
  const mailbox = data.mailboxes.find((one) => one.id === id)
  if (!mailbox) return <Callout>{wordsOfReturn(null)}</Callout>
  return (
    <Callout tone={mailbox.status === 'CONNECTED' ? 'success' : 'warning'}>
      Nothing is left to do here. {mailbox.address} is: {lookOf(mailbox, workspace.timeZone, new Date()).word}.
    </Callout>
  )
}

function Connected({
  finished: { mailbox, revived, failedByLogin },
  retried,
}: {
  finished: Finished
  retried: number
}) {
  const { address, gmail } = mailbox
  return (
    <>
      <p>
        {address} is {revived ? 'back, with the counts that it had' : 'connected'}, and sends as its limits allow.
        {failedByLogin > 0 &&
          ` ${counted(failedByLogin, 'email')} failed for good while its permission was gone; ${retried > 0 ? `${counted(retried, 'email')} ${retried === 1 ? 'waits' : 'wait'} again.` : `you can start ${failedByLogin === 1 ? 'it' : 'them'} over.`}`}
      </p>
      {gmail?.sends === 'directly' && (
        <p className="mt-1 text-muted">
          It sends directly, without drafts: where an answer gets lost, you are asked what became of the email.
        </p>
      )}
      {gmail?.sends === 'drafts' && !gmail.readsSent && (
        <p className="mt-1 text-muted">
          It may not look at what was sent: where an answer gets lost, you may be asked what became of the email, and
          follow-ups may stand beside their thread at the reader’s. Connect it again and leave everything ticked to
          change that.
        </p>
      )}
    </>
  )
}
