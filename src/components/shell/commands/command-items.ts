import { THEMES, type Theme } from '../../theme.ts'
import type { NavIconName, NavSection } from '../nav.ts'
import type { ListedKeys } from '../page-keys.tsx'
import type { WorkspaceChoice } from '../workspace-switcher.tsx'

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
  /** To a document that is none of the app's pages. */
  leave: (href: string) => void
  switchWorkspace: (workspaceId: string) => void
  setTheme: (theme: Theme) => void
}

/** These act on the row or the field that has the focus, which the menu takes away. */
const NEEDS_FOCUS = new Set(['j', 'k', 'x', 'Enter', '/'])

/** What the page that is open does on a key, by name. */
export function pageCommands(pageKeys: readonly ListedKeys[]): CommandItem[] {
  return pageKeys.flatMap(({ keys, label, run }) =>
    run && !keys.some((key) => NEEDS_FOCUS.has(key))
      ? [{ id: `page:${label}`, group: 'On this page', label, run }]
      : [],
  )
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
  const reference = {
    id: 'go:/reference',
    group: 'Go to',
    label: 'API reference',
    icon: 'keys' as const,
    keywords: ['api', 'openapi', 'programs'],
    run: () => sources.leave('/reference'),
  }
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
  return [...pages, reference, ...workspaces, ...themes]
}

export const THEME_LABEL: Record<Theme, string> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
}
