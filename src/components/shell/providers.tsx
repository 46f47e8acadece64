'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Toaster } from '#components/ui/overlay/toast.tsx'
import type { Theme } from '../theme.ts'
import { makeQueryClient } from './query-client.ts'
import { ThemeProvider } from './theme-context.tsx'

/** Once, in the root layout. */
export function Providers({ initialTheme, children }: { initialTheme: Theme; children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider initialTheme={initialTheme}>
        {children}
        <Toaster />
      </ThemeProvider>
    </QueryClientProvider>
  )
}
