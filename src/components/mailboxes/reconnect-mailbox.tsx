'use client'

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { messageOf } from '../api-client.ts'
import { apiWithProgress } from '../api-progress.ts'
import { counted } from '../counted.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { serviceOf } from './providers.ts'
import { TestSteps, useTestRun } from './test-steps.tsx'
import { type Mailbox, useRefreshMailboxes } from './use-mailboxes.ts'

interface ReconnectMailboxProps {
  mailbox: Mailbox
  onClose: () => void
}

type Tested = Received<'POST /api/mailboxes/[id]/test'>

/** Tests what is kept. Where it works, the mailbox sends again, and what its login had failed can be started over. */
export function ReconnectMailbox({ mailbox, onClose }: ReconnectMailboxProps) {
  const { id, address, kind, smtp, gmail } = mailbox
  const { workspace } = useSession()
  const { change } = useUrlParams()
  const refresh = useRefreshMailboxes()
  const { run, begin, reach, succeed, fail, forget } = useTestRun()
  const [tested, setTested] = useState<Tested | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  const hasBegun = useRef(false)

  async function test(retryFailed: boolean) {
    setIsRunning(true)
    setProblem(null)
    begin(kind === 'GMAIL' ? 'login' : 'name')
    try {
      const answer = await apiWithProgress(
        'POST /api/mailboxes/[id]/test',
        { params: { id }, body: { retryFailed }, workspaceId: workspace.id },
        reach,
      )
      if (answer.test.ok) succeed()
      else fail(answer.test)
      setTested(answer)
      await refresh()
    } catch (error) {
      forget()
      setProblem(messageOf(error))
    } finally {
      setIsRunning(false)
    }
  }

  const begins = useEffectEvent(() => {
    // React calls effects twice while a page is being written; a server must not be asked twice.
    if (!hasBegun.current) void test(false)
    hasBegun.current = true
  })
  useEffect(() => begins(), [])

  const isMended = tested?.test.ok ?? false
  const left = tested && isMended ? tested.failedByLogin - tested.retried : 0
  const password = smtp && serviceOf(smtp.host)?.password
  return (
    <Dialog
      title={`Test ${address}`}
      description={
        kind === 'GMAIL'
          ? 'This makes drafts, and sends one message from the mailbox to itself.'
          : 'This connects and logs in. It sends nothing.'
      }
      isOpen
      onOpenChange={onClose}
      width="sm"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {!isMended && (
            <>
              {run?.failure && (
                <Button onClick={() => change({ do: kind === 'GMAIL' ? 'gmail' : 'edit' })}>Change the access…</Button>
              )}
              <Button variant="primary" isLoading={isRunning} onClick={() => test(false)}>
                Test again
              </Button>
            </>
          )}
          {left > 0 && (
            <Button variant="primary" isLoading={isRunning} onClick={() => test(true)}>
              Retry {counted(left, 'email')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3 py-1">
        <FormError message={problem} />
        {run && (
          <TestSteps
            run={run}
            path={
              kind === 'GMAIL'
                ? { isGmail: true, makesDrafts: gmail?.sends !== 'directly' }
                : { isEncrypted: smtp?.security !== 'NONE', hasLogin: smtp?.username !== null, sendsMessage: false }
            }
          />
        )}
        {run?.failure?.step === 'login' && password && <p className="text-[0.8125rem] text-muted">{password}</p>}
        <p role="status" className="text-sm">
          {tested && isMended && connectedSentence(address, tested, left)}
        </p>
      </div>
    </Dialog>
  )
}

function connectedSentence(address: string, { retried }: Tested, left: number): string {
  const failed =
    left > 0
      ? ` ${counted(left, 'email')} failed for good while its login was refused; you can start ${left === 1 ? 'it' : 'them'} over.`
      : ''
  const again =
    retried > 0 ? ` ${counted(retried, 'email')} that had failed ${retried === 1 ? 'waits' : 'wait'} again.` : ''
  return `${address} is connected and sends as its limits allow.${again}${failed}`
}
