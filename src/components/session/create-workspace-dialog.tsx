'use client'

import { Dialog } from '../ui/dialog.tsx'
import { CreateWorkspaceForm } from './create-workspace-form.tsx'

interface CreateWorkspaceDialogProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function CreateWorkspaceDialog({ isOpen, onOpenChange }: CreateWorkspaceDialogProps) {
  return (
    <Dialog
      title="New workspace"
      description="It has people, mailboxes and campaigns of its own. You become its owner."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      width="sm"
    >
      <CreateWorkspaceForm onCancel={() => onOpenChange(false)} />
    </Dialog>
  )
}
