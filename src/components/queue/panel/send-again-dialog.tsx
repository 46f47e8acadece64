'use client'

import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { messageOf } from '../../api-client.ts'

interface SendAgainDialogProps {
  count: number
  isOpen: boolean
  onClose: () => void
  onConfirm: () => Promise<void>
}

/** The one exception to "never twice": a person reads what it risks, and says so. */
export function SendAgainDialog({ count, isOpen, onClose, onConfirm }: SendAgainDialogProps) {
  const [isTicked, setIsTicked] = useState(false)
  const boxId = useId()
  const write = useMutation({ mutationFn: onConfirm })
  const what = count === 1 ? 'This email' : `Each of these ${count.toLocaleString('en')} emails`
  function close() {
    if (write.isPending) return
    setIsTicked(false)
    write.reset()
    onClose()
  }
  return (
    <Dialog
      title={count === 1 ? 'Send it again?' : `Send ${count.toLocaleString('en')} emails again?`}
      description={`${what} may already have been delivered: it was handed over, and no answer came. Sent again, it may arrive twice. This cannot be taken back.`}
      isOpen={isOpen}
      onOpenChange={(next) => !next && close()}
      width="sm"
      footer={
        <>
          <Button onClick={close} disabled={write.isPending}>
            Cancel
          </Button>
          <Button variant="danger" disabled={!isTicked} isLoading={write.isPending} onClick={() => write.mutate()}>
            Send again
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 py-1">
        <label htmlFor={boxId} className="flex items-start gap-2.5 text-sm">
          <Checkbox
            id={boxId}
            className="mt-0.5"
            checked={isTicked}
            onChange={(event) => setIsTicked(event.target.checked)}
          />
          <span>I know that it may arrive twice.</span>
        </label>
        <FormError message={write.error && messageOf(write.error)} />
      </div>
    </Dialog>
  )
}
