'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { instantOfLocal } from '#lib/platform/time/zoned-words.ts'
import { messageOf } from '../../api-client.ts'

interface RescheduleDialogProps {
  isOpen: boolean
  onClose: () => void
  /** The instant, as the API takes it. */
  onConfirm: (at: string) => Promise<void>
  timeZone: string
}

/** Asks for another time, by the clock of the workspace. */
export function RescheduleDialog({ isOpen, onClose, onConfirm, timeZone }: RescheduleDialogProps) {
  const [at, setAt] = useState('')
  const write = useMutation({ mutationFn: onConfirm })
  const instant = at === '' ? null : instantOfLocal(at, timeZone)
  const isTime = instant !== null && !Number.isNaN(instant.getTime())
  function close() {
    if (write.isPending) return
    write.reset()
    setAt('')
    onClose()
  }
  return (
    <Dialog
      title="Another time"
      description="It goes then, or when the sending window opens next. Limits and pauses still hold, and the steps that follow move with it."
      isOpen={isOpen}
      onOpenChange={(next) => !next && close()}
      width="sm"
      footer={
        <>
          <Button onClick={close} disabled={write.isPending}>
            Cancel
          </Button>
          <Button
            variant="primary"
            disabled={!isTime}
            isLoading={write.isPending}
            onClick={() => isTime && write.mutate(instant.toISOString())}
          >
            Reschedule
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 py-1">
        <Field label="When" hint={`By the clock of ${timeZone}`}>
          <Input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
        </Field>
        <FormError message={write.error && messageOf(write.error)} />
      </div>
    </Dialog>
  )
}
