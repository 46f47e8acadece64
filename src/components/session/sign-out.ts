import { ApiError, messageOf, requestApi } from '../api-client.ts'
import { toast } from '../ui/toast.tsx'
import { leaveFor } from './leave-for.ts'
import { signInHref } from './safe-next.ts'

export async function signOut(): Promise<void> {
  try {
    await requestApi('/api/session', { method: 'DELETE' })
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
