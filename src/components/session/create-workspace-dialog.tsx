'use client'

import type { ComponentType } from 'react'
import { Dialog } from '#components/ui/overlay/dialog.tsx'

interface CreateWorkspaceDialogProps {
  /** Null until it is wanted. */
  Form: ComponentType<{ onCancel: () => void }> | null
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function CreateWorkspaceDialog({ Form, isOpen, onOpenChange }: CreateWorkspaceDialogProps) {
  return (
    <Dialog
      title="New workspace"
      description="It has people, mailboxes and campaigns of its own. You become its owner."
      isOpen={isOpen && Form !== null}
      onOpenChange={onOpenChange}
      width="sm"
    >
      {Form && <Form onCancel={() => onOpenChange(false)} />}
    </Dialog>
  )
}
