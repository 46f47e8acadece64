import { toast } from '#components/ui/overlay/toast.tsx'
import { ApiError, api, messageOf } from '../api-client.ts'
import { leaveFor } from './leave-for.ts'
import { signInHref } from './safe-next.ts'

export async function signOut(): Promise<void> {
  try {
    await api('DELETE /api/session')
  } catch (error) {
    // Signed out already, in another tab.
    const isOut = error instanceof ApiError && error.status === 401
    if (!isOut) {
      toast.error(messageOf(error))
      return
    }
  }
  await leaveFor(signInHref('/', 'signed-out'))
}
