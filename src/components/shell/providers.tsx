'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { Tooltip } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import type { Theme } from '../theme.ts'
import { Toaster } from '../ui/toast.tsx'
import { makeQueryClient } from './query-client.ts'
import { ThemeProvider } from './theme-context.tsx'

/** Once, in the root layout. */
export function Providers({ initialTheme, children }: { initialTheme: Theme; children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <ThemeProvider initialTheme={initialTheme}>
        <Tooltip.Provider delayDuration={400}>
          {children}
          <Toaster />
        </Tooltip.Provider>
      </ThemeProvider>
    </QueryClientProvider>
  )
}
