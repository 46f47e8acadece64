'use client'

import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  title: string
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The verb of the button, the same as that of the button which led here: "Remove member". */
  confirmLabel: string
  tone?: 'normal' | 'danger'
  /** For what cannot be undone: the person types this before the button works. */
  typedConfirmation?: string
  trigger?: ReactNode
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  /** The dialog closes when it resolves; while it runs the button waits. What it throws is shown by `errorOf`. */
  onConfirm: () => Promise<void>
  errorOf: (error: unknown) => string
}

export function ConfirmDialog({
  title,
  description,
  confirmLabel,
  tone = 'danger',
  typedConfirmation,
  trigger,
  isOpen,
  onOpenChange,
  onConfirm,
  errorOf,
}: ConfirmDialogProps) {
  const [isOpenInside, setIsOpenInside] = useState(false)
  const [typed, setTyped] = useState('')
  const write = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      setTyped('')
      setIsOpenInside(false)
      onOpenChange?.(false)
    },
  })
  const isTyped = typedConfirmation === undefined || typed.trim() === typedConfirmation

  function changeOpen(next: boolean) {
    if (write.isPending) return
    setTyped('')
    write.reset()
    setIsOpenInside(next)
    onOpenChange?.(next)
  }

  function confirm() {
    if (!write.isPending && isTyped) write.mutate()
  }

  return (
    <Dialog
      title={title}
      description={description}
      trigger={trigger}
      isOpen={isOpen ?? isOpenInside}
      onOpenChange={changeOpen}
      width="sm"
      footer={
        <>
          <Button onClick={() => changeOpen(false)} disabled={write.isPending}>
            Cancel
          </Button>
          <Button
            variant={tone === 'danger' ? 'danger' : 'primary'}
            onClick={confirm}
            isLoading={write.isPending}
            disabled={!isTyped}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {(typedConfirmation !== undefined || write.error) && (
        <div className="flex flex-col gap-3 py-1">
          {typedConfirmation !== undefined && (
            <Field label={`Type “${typedConfirmation}” to go on`}>
              <Input
                value={typed}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
                onKeyDown={(event) => event.key === 'Enter' && confirm()}
              />
            </Field>
          )}
          <FormError message={write.error && errorOf(write.error)} />
        </div>
      )}
    </Dialog>
  )
}
