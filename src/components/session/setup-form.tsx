'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { api } from '../api-client.ts'
import { PasswordInput } from '../form/password-input.tsx'
import { TimeZoneSelect } from '../form/time-zone-select.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { leaveFor } from './leave-for.ts'
import { HOME } from './safe-next.ts'

export function SetupForm() {
  const { formProps, isRunning, errorAt, message } = useSubmit(
    async ({ name = '', email = '', password = '', workspaceName = '', timeZone }) => {
      await api('POST /api/setup', { body: { name, email, password, workspaceName, timeZone } })
      await leaveFor(HOME)
    },
  )
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Your name" error={errorAt('name')} isRequired>
        <Input name="name" autoComplete="name" />
      </Field>
      <Field label="Email" hint="You sign in with it." error={errorAt('email')} isRequired>
        <Input name="email" type="email" autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field
        label="Password"
        hint="At least 10 characters. A short sentence is good."
        error={errorAt('password')}
        isRequired
      >
        <PasswordInput name="password" autoComplete="new-password" />
      </Field>
      <Field
        label="Workspace name"
        hint="Your company or team; the people you invite see it."
        error={errorAt('workspaceName')}
        isRequired
      >
        <Input name="workspaceName" autoComplete="organization" />
      </Field>
      <Field
        label="Time zone"
        hint="Sending windows and dates go by its clock. You can change it later."
        error={errorAt('timeZone')}
      >
        <TimeZoneSelect name="timeZone" />
      </Field>
      <Button type="submit" variant="primary" isLoading={isRunning}>
        Set up Sendonce
      </Button>
    </form>
  )
}
