'use client'

import { useQueryClient } from '@tanstack/react-query'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export function useRefreshLists(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: queryKeys.lists(workspace.id) })
}
