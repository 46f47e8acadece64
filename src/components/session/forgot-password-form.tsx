'use client'

import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'

export function ForgotPasswordForm() {
  const [askedFor, setAskedFor] = useState<string | null>(null)
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ email = '' }) => {
    await api('POST /api/password-reset', { body: { email } })
    setAskedFor(email.trim())
  })

  if (askedFor !== null) {
    return (
      <div role="status" className="flex flex-col items-start gap-4 text-sm">
        <p className="flex gap-2.5">
          <MailCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-success-text" />
          <span className="min-w-0 break-words">
            If <strong className="font-medium">{askedFor}</strong> belongs to an account, a mail with a link is on its
            way to it. The link works for an hour, once.
          </span>
        </p>
        <p className="text-muted">Nothing there after a few minutes? Look into the spam folder, or try once more.</p>
        <Button onClick={() => setAskedFor(null)}>Try another address</Button>
      </div>
    )
  }

  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Email" error={errorAt('email')} isRequired>
        <Input name="email" type="email" autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Button type="submit" variant="primary" isLoading={isRunning}>
        Send me a link
      </Button>
    </form>
  )
}
