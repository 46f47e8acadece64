'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import type { Role } from '#lib/tenancy/roles.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { tellOfMail } from './invitation-mail.tsx'
import { useRefreshPeople } from './people.ts'
import { ROLE_SENTENCE, roleOptions, rolesGivenBy } from './role-words.ts'

interface InviteDialogProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function InviteDialog({ isOpen, onOpenChange }: InviteDialogProps) {
  const { workspace } = useSession()
  return (
    <Dialog
      title={`Invite to ${workspace.name}`}
      description="They get a mail with a link that works for seven days."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      width="sm"
    >
      <InviteForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function InviteForm({ onDone }: { onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshPeople()
  const [role, setRole] = useState<Role>('member')
  const roles = rolesGivenBy(workspace.role)

  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ email = '' }) => {
    const { invitation } = await api('POST /api/invitations', {
      body: { email, role },
      workspaceId: workspace.id,
    })
    await refresh()
    onDone()
    tellOfMail(invitation)
  })

  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <Field label="Email" error={errorAt('email')} isRequired>
        <Input name="email" type="email" autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field label="Role" hint={ROLE_SENTENCE[role]} error={errorAt('role')}>
        <Select
          options={roleOptions(roles)}
          value={role}
          onValueChange={(value) => setRole(roles.find((known) => known === value) ?? 'member')}
        />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Send invitation
        </Button>
      </div>
    </form>
  )
}
