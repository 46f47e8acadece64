'use client'

import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import type { SmtpSecurity } from '#lib/mail/smtp/smtp-server.ts'
import { PasswordInput } from '../form/password-input.tsx'
import { SECURITY_OPTIONS } from './mailbox-words.ts'

export interface ServerFieldsProps {
  server: { host: string; port: number; security: SmtpSecurity }
  security: SmtpSecurity
  onSecurity: (security: SmtpSecurity) => void
  username: string
  onUsername: (username: string) => void
  /** A known service: what it says is right, and is looked at by those who want to. */
  isKnown?: boolean
  /** Where the password comes from, or what happens without one. */
  passwordHint: string
  errorAt: (name: string) => string | null
}

/** Where a mailbox is, and how one gets in. */
export function ServerFields(props: ServerFieldsProps) {
  const { server, security, onSecurity, username, onUsername, isKnown = false, passwordHint, errorAt } = props
  const isRefused = ['host', 'port', 'security'].some(errorAt)
  const place = (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-[1fr_6rem]">
        <Field label="Server" error={errorAt('host')} isRequired>
          <Input name="host" defaultValue={server.host} autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Field>
        <Field label="Port" error={errorAt('port')} isRequired>
          <Input name="port" inputMode="numeric" defaultValue={server.port} autoComplete="off" />
        </Field>
      </div>
      <Field label="Encryption" error={errorAt('security')}>
        <Select
          options={SECURITY_OPTIONS}
          value={security}
          onValueChange={(value) =>
            onSecurity(SECURITY_OPTIONS.find((one) => one.value === value)?.value ?? 'STARTTLS')
          }
        />
      </Field>
    </div>
  )
  return (
    <>
      {isKnown ? (
        <details open={isRefused || undefined} className="rounded-md border border-border px-3 py-2">
          <summary className="cursor-pointer text-sm">
            Server and encryption <span className="text-muted">as {server.host} wants them</span>
          </summary>
          <div className="pt-3 pb-1">{place}</div>
        </details>
      ) : (
        place
      )}
      <Field
        label="User name"
        hint={isKnown ? undefined : 'Empty for a relay that knows this server by its address.'}
        error={errorAt('username')}
      >
        <Input
          name="username"
          value={username}
          onChange={(event) => onUsername(event.target.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <Field label="Password" hint={passwordHint} error={errorAt('password')}>
        <PasswordInput name="password" autoComplete="new-password" />
      </Field>
    </>
  )
}

type ServerValues = { host: string; port: number; security: SmtpSecurity; username: string; password?: string }

/** As the API takes them: an empty user name means none, and an empty password that it was not entered. */
export function serverIn(values: Record<string, string>, security: SmtpSecurity): ServerValues {
  const { host = '', port = '', username = '', password = '' } = values
  return { host, port: Number(port), security, username: username.trim(), ...(password !== '' && { password }) }
}
