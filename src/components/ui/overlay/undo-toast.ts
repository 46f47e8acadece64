import { messageOf } from '#components/api-client.ts'
import { toast } from './toast.tsx'

const UNDO_MS = 10_000

/** For what is done at once because it can be taken back: says what was done, and takes it back for ten seconds. */
export function toastWithUndo(done: string, undo: () => Promise<string>): void {
  toast.success(done, {
    duration: UNDO_MS,
    action: {
      label: 'Undo',
      onClick: () => {
        undo().then(
          (undone) => toast.success(undone),
          (error: unknown) => toast.error(messageOf(error)),
        )
      },
    },
  })
}
