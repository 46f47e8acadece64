'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { API_SCOPES, type ApiScope } from '#lib/tenancy/api-keys/scopes.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import { SCOPE_WORD } from './scope-words.ts'
import { useRefreshApiKeys } from './use-api-keys.ts'

const VALID: readonly { value: string; label: string; days: number | null }[] = [
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: 'A year', days: 365 },
  { value: 'always', label: 'Until it is revoked', days: null },
]

export function MakeKey({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ name: string; key: string } | null>(null)
  return (
    <Dialog
      title={made ? `The key for ${made.name}` : 'Make an API key'}
      description={made ? 'It is shown this once. We keep no copy.' : 'One for each program.'}
      isOpen
      onOpenChange={onClose}
      width="sm"
    >
      {made ? (
        <ShownOnce secret={made.key} copyLabel="Copy the key" onClose={onClose}>
          Your program sends it as the header “Authorization: Bearer …”. Keep it where you keep passwords.
        </ShownOnce>
      ) : (
        <MakeForm onClose={onClose} onMade={setMade} />
      )}
    </Dialog>
  )
}

interface MakeFormProps {
  onClose: () => void
  onMade: (made: { name: string; key: string }) => void
}

function MakeForm({ onClose, onMade }: MakeFormProps) {
  const { workspace } = useSession()
  const refresh = useRefreshApiKeys()
  const [scopes, setScopes] = useState<readonly ApiScope[]>(['send'])
  const [valid, setValid] = useState('365')
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name = '' }) => {
    const validDays = VALID.find(({ value }) => value === valid)?.days ?? null
    const { key } = await api('POST /api/api-keys', {
      body: { name, scopes: [...scopes], validDays },
      workspaceId: workspace.id,
    })
    onMade({ name: name.trim(), key })
    await refresh()
  })
  const toggle = (scope: ApiScope, isOn: boolean) =>
    setScopes(API_SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))))

  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Name" hint="Of the program that will use it." error={errorAt('name')} isRequired>
        <Input name="name" autoComplete="off" placeholder="Booking site" />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium text-sm">Scopes</legend>
        {API_SCOPES.map((scope) => (
          <label key={scope} htmlFor={`scope-${scope}`} className="flex items-start gap-2.5 text-sm">
            <Checkbox
              id={`scope-${scope}`}
              className="mt-0.5"
              checked={scopes.includes(scope)}
              onChange={(event) => toggle(scope, event.currentTarget.checked)}
            />
            <span>
              <span className="font-medium">{SCOPE_WORD[scope].name}.</span> {SCOPE_WORD[scope].sentence}
            </span>
          </label>
        ))}
        {errorAt('scopes') && <p className="text-[0.8125rem] text-danger-text">{errorAt('scopes')}</p>}
      </fieldset>
      <Field label="Works for" error={errorAt('validDays')}>
        <Select options={VALID} value={valid} onValueChange={setValid} />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Make the key
        </Button>
      </div>
    </form>
  )
}
