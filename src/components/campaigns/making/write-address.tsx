'use client'

import { useQueryClient } from '@tanstack/react-query'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Textarea } from '#components/ui/control/textarea.tsx'
import { api } from '../../api-client.ts'
import { useSubmit } from '../../form/use-submit.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { useRefreshCampaigns } from '../use-campaigns.ts'

/** The workspace's postal address, written where its absence stops a launch, so that nobody has to find the way back. */
export function WriteAddress() {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  const refresh = useRefreshCampaigns()
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ postalAddress = '' }) => {
    await api('PATCH /api/workspaces/[id]', { params: { id: workspace.id }, body: { postalAddress } })
    const keys = [queryKeys.sendingSettings(workspace.id), queryKeys.workspace(workspace.id)]
    await Promise.all([refresh(), ...keys.map((queryKey) => queryClient.invalidateQueries({ queryKey }))])
  })
  return (
    <form {...formProps} className="flex flex-col items-start gap-2">
      <FormError message={message} />
      <Field
        label="Postal address"
        hint="It stands below every campaign email, of all campaigns of this workspace."
        error={errorAt('postalAddress')}
        className="w-full"
      >
        <Textarea name="postalAddress" rows={3} autoComplete="off" />
      </Field>
      <Button type="submit" isLoading={isRunning}>
        Save the address
      </Button>
    </form>
  )
}
