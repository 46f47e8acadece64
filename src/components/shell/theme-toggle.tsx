'use client'

import clsx from 'clsx'
import { Monitor, Moon, Sun } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { DropdownMenu, MenuChoice } from '#components/ui/overlay/dropdown-menu.tsx'
import { THEMES, type Theme } from '../theme.ts'
import { THEME_LABEL } from './commands/command-items.ts'
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
