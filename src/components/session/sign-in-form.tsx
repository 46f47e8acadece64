'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { api } from '../api-client.ts'
import { PasswordInput } from '../form/password-input.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { leaveFor } from './leave-for.ts'

/** `next` has been checked by the page. */
export function SignInForm({ next }: { next: string }) {
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ email = '', password = '' }) => {
    await api('POST /api/session', { body: { email, password } })
    await leaveFor(next)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Email" error={errorAt('email')} isRequired>
        <Input name="email" type="email" autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field label="Password" error={errorAt('password')} isRequired>
        <PasswordInput name="password" autoComplete="current-password" />
      </Field>
      <Button type="submit" variant="primary" isLoading={isRunning}>
        Sign in
      </Button>
    </form>
  )
}
