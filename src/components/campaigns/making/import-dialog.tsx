'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { ImportPeople } from '../../import/import-people.tsx'

interface ImportDialogProps {
  isOpen: boolean
  onClose: () => void
  /** Of the import that is done. */
  onEnrol: (importId: string) => Promise<void>
}

/** A file or a paste, without leaving the campaign: once it is in, its people can be added. */
export function ImportDialog({ isOpen, onClose, onEnrol }: ImportDialogProps) {
  return (
    <Dialog
      title="Import or paste people"
      description="They come into the workspace first, each address once. Then you add them to this campaign."
      isOpen={isOpen}
      onOpenChange={(next) => {
        if (!next) onClose()
      }}
      width="lg"
    >
      <div className="pb-3">
        <ImportPeople
          isPart
          whenDone={(importId) => (
            <Button
              variant="primary"
              onClick={() => {
                void onEnrol(importId).then(onClose)
              }}
            >
              Add these people to the campaign
            </Button>
          )}
        />
      </div>
    </Dialog>
  )
}
