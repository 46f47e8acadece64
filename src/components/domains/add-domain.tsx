'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { useRefreshDomains } from './use-domains.ts'

export function AddDomain({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Add a domain"
      description="It gets a key of its own. Nothing is signed until its record is found in DNS."
      isOpen
      onOpenChange={onClose}
      width="sm"
    >
      <AddForm onClose={onClose} />
    </Dialog>
  )
}

function AddForm({ onClose }: { onClose: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshDomains()
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ domain = '' }) => {
    const added = await api('POST /api/domains', { body: { domain }, workspaceId: workspace.id })
    await refresh()
    onClose()
    toast.success(`${added.domain} is added. Copy its records into DNS.`)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Domain" hint="What stands behind the @ of your mailboxes." error={errorAt('domain')} isRequired>
        <Input name="domain" autoComplete="off" autoCapitalize="none" spellCheck={false} placeholder="example.com" />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Add
        </Button>
      </div>
    </form>
  )
}
