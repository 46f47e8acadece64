'use client'

import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { ApiError, api, messageOf } from '../api-client.ts'
import { PasswordInput } from '../form/password-input.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { Callout } from '../ui/callout.tsx'
import { leaveFor } from './leave-for.ts'
import { HOME } from './safe-next.ts'

interface FormProps {
  token: string
  /** Shown in place of the form when the link stopped working while the form was open. */
  spent: ReactNode
}

async function accept(token: string, newPerson?: { name: string; password: string }): Promise<void> {
  await api('POST /api/invitations/accept', { body: { token, newPerson } })
  await leaveFor(HOME)
}

const isSpent = (error: unknown) => error instanceof ApiError && error.status === 410

export function AcceptSignedIn({ token, workspaceName, spent }: FormProps & { workspaceName: string }) {
  const { formProps, isRunning, error, message } = useSubmit(() => accept(token))
  if (isSpent(error)) return spent
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Button type="submit" variant="primary" isLoading={isRunning} className="min-w-0">
        <span className="min-w-0 max-w-72 truncate">Join {workspaceName}</span>
      </Button>
    </form>
  )
}

/** For a person who has an account, and may have been in another workspace all along. */
export function AcceptBySigningIn({ token, email, spent }: FormProps & { email: string }) {
  const { formProps, isRunning, errorAt, error, message } = useSubmit(async ({ password = '' }) => {
    await api('POST /api/session', { body: { email, password } })
    await accept(token)
  })
  if (isSpent(error)) return spent
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <p className="text-sm">You have an account under this address. Sign in with it to join.</p>
      <FormError message={message} />
      <FixedEmail email={email} />
      <Field label="Password" error={errorAt('password')} isRequired>
        <PasswordInput name="password" autoComplete="current-password" />
      </Field>
      <Button type="submit" variant="primary" isLoading={isRunning}>
        Sign in and join
      </Button>
    </form>
  )
}

export function AcceptAsNewPerson({ token, email, spent }: FormProps & { email: string }) {
  const { formProps, isRunning, errorAt, error, message } = useSubmit(({ name = '', password = '' }) =>
    accept(token, { name, password }),
  )
  if (isSpent(error)) return spent
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <FixedEmail email={email} />
      <Field label="Your name" error={errorAt('name')} isRequired>
        <Input name="name" autoComplete="name" />
      </Field>
      <Field
        label="Choose a password"
        hint="At least 10 characters. A short sentence is good."
        error={errorAt('password')}
        isRequired
      >
        <PasswordInput name="password" autoComplete="new-password" />
      </Field>
      <Button type="submit" variant="primary" isLoading={isRunning}>
        Join
      </Button>
    </form>
  )
}

/** For the password manager, and for people with several addresses. */
function FixedEmail({ email }: { email: string }) {
  return (
    <Field label="Email">
      <Input type="email" value={email} readOnly autoComplete="username" className="bg-sunken!" />
    </Field>
  )
}

export function SignOutFirst({ invited, signedInAs }: { invited: string; signedInAs: string }) {
  const write = useMutation({
    mutationFn: () => api('DELETE /api/session'),
    // The link stays in the address, and is read anew as nobody.
    onSuccess: () => window.location.reload(),
  })

  return (
    <div className="flex flex-col gap-4">
      <FormError message={write.error && messageOf(write.error)} />
      <Callout
        tone="warning"
        title="You are signed in as another person"
        actions={
          <Button onClick={() => write.mutate()} isLoading={write.isPending || write.isSuccess}>
            Sign out and go on
          </Button>
        }
      >
        <p className="break-words">
          The invitation is for {invited}, and you are {signedInAs} here. Sign out, and this page asks you again.
        </p>
      </Callout>
    </div>
  )
}
