'use client'

import { createContext, type ReactNode, useContext, useState } from 'react'
import { applyTheme, type Theme } from '../theme.ts'

const ThemeContext = createContext<{ theme: Theme; setTheme: (theme: Theme) => void } | null>(null)

export function ThemeProvider({ initialTheme, children }: { initialTheme: Theme; children: ReactNode }) {
  const [theme, setTheme] = useState(initialTheme)
  return (
    <ThemeContext
      value={{
        theme,
        setTheme: (next) => {
          setTheme(next)
          applyTheme(next)
        },
      }}
    >
      {children}
    </ThemeContext>
  )
}

export function useTheme() {
  const context = useContext(ThemeContext)
  if (context === null) throw new Error('useTheme needs a ThemeProvider above it.')
  return context
}
