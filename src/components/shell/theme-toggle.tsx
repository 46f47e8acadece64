'use client'

import clsx from 'clsx'
import { Monitor, Moon, Sun } from 'lucide-react'
import { THEMES, type Theme } from '../theme.ts'
import { buttonStyle } from '../ui/button-style.ts'
import { DropdownMenu, MenuChoice } from '../ui/dropdown-menu.tsx'
import { THEME_LABEL } from './command-items.ts'
import { useTheme } from './theme-context.tsx'

const ICON = { system: Monitor, light: Sun, dark: Moon } as const satisfies Record<Theme, unknown>

export function ThemeToggle() {
  const { theme, setTheme } = useTheme()
  const Current = ICON[theme]
  return (
    <DropdownMenu
      trigger={
        <button
          type="button"
          aria-label={`Theme: ${THEME_LABEL[theme]}`}
          className={clsx(buttonStyle({ variant: 'ghost', shape: 'icon' }), 'text-muted')}
        >
          <Current aria-hidden className="size-4" />
        </button>
      }
    >
      <MenuChoice
        label="Theme"
        value={theme}
        onValueChange={(value) => setTheme(THEMES.find((known) => known === value) ?? 'system')}
        options={THEMES.map((value) => {
          const Icon = ICON[value]
          return { value, label: THEME_LABEL[value], icon: <Icon aria-hidden /> }
        })}
      />
    </DropdownMenu>
  )
}
