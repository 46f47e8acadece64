'use client'

import Link from 'next/link'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { ApiError, api } from '../api-client.ts'
import { PasswordInput } from '../form/password-input.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { Callout } from '../ui/callout.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { leaveFor } from './leave-for.ts'
import { signInHref } from './safe-next.ts'
import { useHashToken } from './use-hash-token.ts'

export function ResetPasswordForm() {
  const token = useHashToken()
  const { formProps, isRunning, errorAt, error, message } = useSubmit(async ({ password = '' }) => {
    await api('PUT /api/password-reset', { body: { token: token ?? '', password } })
    await leaveFor(signInHref('/', 'password-changed'))
  })

  if (token === undefined) return <LoadingForm />
  if (token === null) {
    return <DeadLink>This link is not complete: part of it was lost on the way here.</DeadLink>
  }
  if (error instanceof ApiError && error.status === 410) {
    return <DeadLink>This link has been used already, or it has expired.</DeadLink>
  }
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field
        label="New password"
        hint="At least 10 characters. A short sentence is good."
        error={errorAt('password')}
        isRequired
      >
        <PasswordInput name="password" autoComplete="new-password" />
      </Field>
      <Button type="submit" variant="primary" isLoading={isRunning}>
        Change the password
      </Button>
    </form>
  )
}

function DeadLink({ children }: { children: string }) {
  return (
    <div role="alert">
      <Callout
        tone="warning"
        title={children}
        actions={
          <Link href="/forgot-password" className={buttonStyle({ variant: 'primary' })}>
            Ask for a new link
          </Link>
        }
      >
        Links work for an hour, once. Your password is as it was.
      </Callout>
    </div>
  )
}

function LoadingForm() {
  return (
    <div className="flex flex-col gap-4">
      <LoadingNote what="Reading the link" />
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-8 w-full" />
    </div>
  )
}
