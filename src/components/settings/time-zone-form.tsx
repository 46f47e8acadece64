'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { TimeZoneSelect } from '../form/time-zone-select.tsx'
import { useSubmit } from '../form/use-submit.ts'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { useChangeWorkspace, type WorkspaceDetails } from './use-change-workspace.ts'

export function TimeZoneForm({ workspace, mayChange }: { workspace: WorkspaceDetails; mayChange: boolean }) {
  const { timeZone, nextTimeZone, nextTimeZoneAt } = workspace
  const change = useChangeWorkspace(workspace.id)
  const { formProps, isRunning, errorAt, message } = useSubmit(async (values) => {
    const changed = await change({ timeZone: values.timeZone })
    if (changed.nextTimeZone) toast.success(`The time zone changes to ${changed.nextTimeZone} at midnight there.`)
    else toast.success(`The time zone is ${changed.timeZone}.`)
  })
  const keep = useSubmit(async () => {
    await change({ timeZone })
    toast.success(`The time zone stays ${timeZone}.`)
  })

  return (
    <Card title="Time zone">
      {nextTimeZone && nextTimeZoneAt && (
        <Callout
          className="mb-4"
          title={`Changes to ${nextTimeZone}`}
          actions={
            mayChange && (
              <form {...keep.formProps}>
                <Button type="submit" size="sm" isLoading={keep.isRunning}>
                  Keep {timeZone}
                </Button>
              </form>
            )
          }
        >
          At midnight there: <DateTime instant={nextTimeZoneAt} timeZone={nextTimeZone} />. Until then, {timeZone}{' '}
          holds, so that no day is counted twice.
          {keep.message && <span className="block text-danger-text">{keep.message}</span>}
        </Callout>
      )}
      <form {...formProps} className="flex flex-col gap-3">
        <FormError message={message} />
        <Field
          label="Time zone"
          hint="Sending windows, daily limits and every date in the product go by its clock. A change takes effect at the next midnight there."
          error={errorAt('timeZone')}
        >
          <TimeZoneSelect name="timeZone" initialZone={nextTimeZone ?? timeZone} isDisabled={!mayChange} />
        </Field>
        {mayChange && (
          <Button type="submit" isLoading={isRunning} className="self-start">
            Save the time zone
          </Button>
        )}
      </form>
    </Card>
  )
}
