import { THEMES, type Theme } from '../theme.ts'
import type { NavIconName, NavSection } from './nav.ts'
import type { WorkspaceChoice } from './workspace-switcher.tsx'

export type CommandIcon = NavIconName | 'action' | 'workspace' | Theme

export interface CommandItem {
  id: string
  group: string
  label: string
  icon?: CommandIcon
  /** Other words that a person might type for it. */
  keywords?: string[]
  run: () => void
}

interface CommandSources {
  sections: readonly NavSection[]
  workspaces: readonly WorkspaceChoice[]
  currentWorkspaceId: string
  navigate: (href: string) => void
  switchWorkspace: (workspaceId: string) => void
  setTheme: (theme: Theme) => void
}

/** What the shell itself can do: go somewhere, change the workspace, change the theme. */
export function shellCommands(sources: CommandSources): CommandItem[] {
  const pages = sources.sections
    .flatMap((section) => section.items)
    .map((item) => ({
      id: `go:${item.href}`,
      group: 'Go to',
      label: item.label,
      icon: item.icon,
      run: () => sources.navigate(item.href),
    }))
  const workspaces = sources.workspaces
    .filter((workspace) => workspace.id !== sources.currentWorkspaceId)
    .map((workspace) => ({
      id: `workspace:${workspace.id}`,
      group: 'Switch workspace',
      label: workspace.name,
      icon: 'workspace' as const,
      keywords: ['workspace'],
      run: () => sources.switchWorkspace(workspace.id),
    }))
  const themes = THEMES.map((theme) => ({
    id: `theme:${theme}`,
    group: 'Theme',
    label: THEME_LABEL[theme],
    icon: theme,
    keywords: ['theme', 'appearance', 'colour'],
    run: () => sources.setTheme(theme),
  }))
  return [...pages, ...workspaces, ...themes]
}

export const THEME_LABEL: Record<Theme, string> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
}
