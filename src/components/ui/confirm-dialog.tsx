'use client'

import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { FormError } from './form-error.tsx'
import { Input } from './input.tsx'

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
  const [isRunning, setIsRunning] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const isTyped = typedConfirmation === undefined || typed.trim() === typedConfirmation

  function changeOpen(next: boolean) {
    if (isRunning) return
    setTyped('')
    setError(null)
    setIsOpenInside(next)
    onOpenChange?.(next)
  }

  async function confirm() {
    if (isRunning || !isTyped) return
    setIsRunning(true)
    setError(null)
    try {
      await onConfirm()
      setTyped('')
      setIsOpenInside(false)
      onOpenChange?.(false)
    } catch (thrown) {
      setError(errorOf(thrown))
    } finally {
      setIsRunning(false)
    }
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
          <Button onClick={() => changeOpen(false)} disabled={isRunning}>
            Cancel
          </Button>
          <Button
            variant={tone === 'danger' ? 'danger' : 'primary'}
            onClick={confirm}
            isLoading={isRunning}
            disabled={!isTyped}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {(typedConfirmation !== undefined || error) && (
        <div className="flex flex-col gap-3 py-1">
          {typedConfirmation !== undefined && (
            <Field label={`Type “${typedConfirmation}” to go on`}>
              <Input
                value={typed}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
                onKeyDown={(event) => event.key === 'Enter' && void confirm()}
              />
            </Field>
          )}
          <FormError message={error} />
        </div>
      )}
    </Dialog>
  )
}
