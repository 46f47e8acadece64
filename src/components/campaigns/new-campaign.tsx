'use client'

import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useRefreshCampaigns } from './use-campaigns.ts'

const SEQUENCES_MAX = 200
const WRITE_ONE = 'write-one'
const LOADING = [{ value: 'loading', label: 'Loading your sequences…', isDisabled: true }]

export function NewCampaign({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="New campaign"
      description="It begins as a draft. Nothing is sent before you have seen its plan and launched it."
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      width="sm"
    >
      <NewForm onCancel={onClose} />
    </Dialog>
  )
}

function NewForm({ onCancel }: { onCancel: () => void }) {
  const { workspace } = useSession()
  const router = useRouter()
  const refresh = useRefreshCampaigns()
  const [sequenceId, setSequenceId] = useState('')
  const { data, error } = useQuery({
    queryKey: queryKeys.sequencesToChoose(workspace.id),
    queryFn: ({ signal }) =>
      api('GET /api/sequences', { query: { limit: SEQUENCES_MAX }, workspaceId: workspace.id, signal }),
  })
  const sequences = data?.sequences.map(({ id, name, steps }) => ({
    value: id,
    label: `${name} (${steps === 1 ? '1 step' : `${steps} steps`})`,
  }))
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ name = '' }) => {
    const chosen =
      sequenceId === WRITE_ONE
        ? (await api('POST /api/sequences', { body: { name, steps: [{}] }, workspaceId: workspace.id })).id
        : sequenceId
    const campaign = await api('POST /api/campaigns', {
      body: { name, sequenceId: chosen },
      workspaceId: workspace.id,
    })
    await refresh()
    router.push(`/campaigns/${campaign.id}`)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message ?? (error ? 'The sequences could not be loaded. Close this and try again.' : null)} />
      <Field label="Name" hint="For you and your team; readers never see it." error={errorAt('name')} isRequired>
        <Input name="name" autoComplete="off" />
      </Field>
      <Field
        label="Sequence"
        hint="What its people will read, step by step. A new one can be written from the draft."
        error={errorAt('sequenceId')}
        isRequired
      >
        <Select
          // Never switched off while they load: Tab would pass over it, and the next Enter would press Cancel.
          options={[...(sequences ?? LOADING), { value: WRITE_ONE, label: 'A new one' }]}
          value={sequenceId}
          onValueChange={setSequenceId}
        />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Make the draft
        </Button>
      </div>
    </form>
  )
}
