'use client'

import { type MouseEvent, useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { apiWithProgress } from '../api-progress.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { LimitFields, limitsIn } from './limit-fields.tsx'
import { MessageWish } from './message-wish.tsx'
import { MAIL_SERVICES, type MailService } from './providers.ts'
import { ServerFields, serverIn } from './server-fields.tsx'
import { ServiceChoice } from './service-choice.tsx'
import { TestSteps, testFailureIn, useTestRun } from './test-steps.tsx'
import { useRefreshMailboxes } from './use-mailboxes.ts'

const DAILY_LIMIT = 50

export function AddMailbox({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Add a mailbox"
      description="It is tested first, step by step. What does not work is told with its cure, and nothing you typed is lost."
      isOpen
      onOpenChange={onClose}
    >
      <AddForm onClose={onClose} />
    </Dialog>
  )
}

function AddForm({ onClose }: { onClose: () => void }) {
  const { workspace, person } = useSession()
  const refresh = useRefreshMailboxes()
  const [service, setService] = useState<MailService>(MAIL_SERVICES[0] as MailService)
  const [security, setSecurity] = useState(service.server.security)
  const [address, setAddress] = useState('')
  const [ownUsername, setOwnUsername] = useState<string | null>(null)
  const [sendsMessage, setSendsMessage] = useState(true)
  const [hasLogin, setHasLogin] = useState(true)
  // Of the submit that is under way: state would come too late for it.
  const isTested = useRef(true)
  const { run, begin, reach, succeed, fail, forget } = useTestRun()
  const username = ownUsername ?? service.username ?? address
  const isUnknown = service.server.host === ''

  const { formProps, isRunning, errorAt, message } = useSubmit(async (values) => {
    const test = isTested.current
    isTested.current = true
    const smtp = serverIn(values, security)
    // A relay of one's own without a password: the user name that stands there is our guess, and not the person's wish.
    if (isUnknown && ownUsername === null && smtp.password === undefined) smtp.username = ''
    setHasLogin(smtp.username !== '')
    if (test) begin()
    else forget()
    try {
      const { mailbox, revived } = await apiWithProgress(
        'POST /api/mailboxes',
        {
          body: {
            address,
            ...limitsIn(values),
            smtp,
            test,
            testMessage: test && sendsMessage,
          },
          workspaceId: workspace.id,
        },
        reach,
      )
      succeed()
      await refresh()
      onClose()
      if (mailbox.status === 'STOPPED')
        toast.success(`${mailbox.address} is kept, and stopped until a test gets through.`)
      else if (revived) toast.success(`${mailbox.address} is back, with the counts that it had.`)
      else toast.success(`${mailbox.address} is connected.`)
    } catch (error) {
      const failure = testFailureIn(error)
      if (!failure) {
        forget()
        throw error
      }
      fail(failure)
    }
  })

  /** No submit button: Enter in a field must never choose it. */
  function keepUntested(event: MouseEvent<HTMLButtonElement>) {
    isTested.current = false
    event.currentTarget.form?.requestSubmit()
  }

  function choose(next: MailService) {
    setService(next)
    setSecurity(next.server.security)
    setOwnUsername(null)
    forget()
  }

  const path = { isEncrypted: security !== 'NONE', hasLogin, sendsMessage }
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <ServiceChoice service={service} onChoose={choose} />
      <FormError message={message} />
      <Field label="Address" hint="Campaign emails come from it." error={errorAt('address')} isRequired>
        <Input
          name="address"
          type="email"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <ServerFields
        key={service.key}
        server={service.server}
        security={security}
        onSecurity={setSecurity}
        username={username}
        onUsername={setOwnUsername}
        isKnown={!isUnknown && !service.hasRegions}
        passwordHint={service.password}
        errorAt={errorAt}
      />
      <LimitFields
        key={`limits of ${service.key}`}
        displayName=""
        dailyLimit={DAILY_LIMIT}
        rollingLimit={service.rollingLimit}
        errorAt={errorAt}
      />
      <MessageWish email={person.email} isWished={sendsMessage} onWish={setSendsMessage} />
      {run && <TestSteps run={run} path={path} />}
      <div className={dialogActions}>
        <Button onClick={onClose}>Cancel</Button>
        {run?.failure && <Button onClick={keepUntested}>Keep it untested</Button>}
        <Button type="submit" variant="primary" isLoading={isRunning}>
          {run?.failure ? 'Test again and add' : 'Test and add'}
        </Button>
      </div>
    </form>
  )
}
