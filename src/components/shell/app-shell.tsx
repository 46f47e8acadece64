'use client'

import { Search } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type ReactNode, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Kbd } from '#components/ui/control/kbd.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { type CommandItem, pageCommands, shellCommands } from './commands/command-items.ts'
import { CommandMenu } from './commands/command-menu.tsx'
import { useCommandKey } from './commands/use-command-key.ts'
import { Wordmark } from './logo.tsx'
import type { NavSection } from './nav.ts'
import { NavSheet } from './nav-sheet.tsx'
import { type ListedKeys, PageKeys } from './page-keys.tsx'
import { SideNav } from './side-nav.tsx'
import { MAIN_ID, SkipLink } from './skip-link.tsx'
import { useTheme } from './theme-context.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { type Shortcut, useKeySequences } from './use-key-sequences.ts'
import { type ShellUser, UserMenu } from './user-menu.tsx'
import { type WorkspaceChoice, WorkspaceSwitcher } from './workspace-switcher.tsx'

interface AppShellProps {
  /** Only what exists, and what this person may see. */
  sections: readonly NavSection[]
  user: ShellUser
  workspaces: readonly WorkspaceChoice[]
  currentWorkspaceId: string
  onSwitchWorkspace: (workspaceId: string) => void
  onCreateWorkspace?: () => void
  onSignOut: () => void
  /** What else the command menu offers, in front of the shell's own. */
  commands?: readonly CommandItem[]
  /** The menu is being opened: the time to look what else it can offer. */
  onCommands?: () => void
  /** Something everyone should know, above every page: sending is held, the cron has not come. */
  notice?: ReactNode
  children: ReactNode
}

const loadShortcutsSheet = async () => (await import('./shortcuts-sheet.tsx')).ShortcutsSheet

export function AppShell({
  sections,
  user,
  workspaces,
  currentWorkspaceId,
  onSwitchWorkspace,
  onCreateWorkspace,
  onSignOut,
  commands,
  onCommands,
  notice,
  children,
}: AppShellProps) {
  const router = useRouter()
  const { setTheme } = useTheme()
  const commandKey = useCommandKey()
  const [isCommandMenuOpen, setIsCommandMenuOpen] = useState(false)
  function changeCommandMenu(isOpen: boolean) {
    if (isOpen) onCommands?.()
    setIsCommandMenuOpen(isOpen)
  }
  const [isShortcutsSheetOpen, setIsShortcutsSheetOpen] = useState(false)
  const [ShortcutsSheet, fetchShortcutsSheet] = useOnDemand(loadShortcutsSheet)
  const showShortcuts = async () => {
    if (await fetchShortcutsSheet()) setIsShortcutsSheetOpen(true)
  }

  const shortcuts: Shortcut[] = [
    { keys: ['?'], label: 'Show these shortcuts', action: () => void showShortcuts() },
    { keys: ['/'], label: 'Open the command menu', action: () => changeCommandMenu(true) },
    ...sections
      .flatMap((section) => section.items)
      .flatMap(({ letter, label, href }) =>
        letter ? [{ keys: ['g', letter], label: `Go to ${label}`, action: () => router.push(href) }] : [],
      ),
  ]
  useKeySequences(shortcuts)
  const [pageKeys, setPageKeys] = useState<readonly ListedKeys[]>([])

  const ofPage = pageCommands(pageKeys)
  const items = [
    ...ofPage,
    // What the page does itself stands there, and not twice.
    ...(commands ?? []).filter(({ label }) => !ofPage.some((one) => one.label === label)),
    ...shellCommands({
      sections,
      workspaces,
      currentWorkspaceId,
      navigate: (href) => router.push(href),
      leave: (href) => window.location.assign(href),
      switchWorkspace: onSwitchWorkspace,
      setTheme,
    }),
  ]

  const switcher = (
    <WorkspaceSwitcher
      workspaces={workspaces}
      currentId={currentWorkspaceId}
      onSwitch={onSwitchWorkspace}
      onCreate={onCreateWorkspace}
    />
  )

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <SkipLink />
      <aside className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-border border-r bg-surface p-3 lg:flex">
        <div className="px-2 pt-1.5">
          <Wordmark />
        </div>
        {switcher}
        <SideNav sections={sections} />
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky top-0 z-20 flex h-14 items-center gap-1.5 border-border border-b bg-surface px-4 lg:h-12 lg:px-6">
          <NavSheet sections={sections} header={switcher} />
          <div className="flex lg:hidden">
            <Wordmark />
          </div>
          <div className="ml-auto flex items-center gap-1.5">
            <Button
              icon={<Search />}
              onClick={() => changeCommandMenu(true)}
              aria-keyshortcuts="Meta+K Control+K"
              className="max-sm:w-10 max-sm:px-0! sm:text-muted"
            >
              <span className="max-sm:sr-only">Go to…</span>
              <span className="flex gap-0.5 max-lg:hidden" aria-hidden>
                <Kbd>{commandKey}</Kbd>
                <Kbd>K</Kbd>
              </span>
            </Button>
            <ThemeToggle />
            <UserMenu user={user} onSignOut={onSignOut} onShowShortcuts={() => void showShortcuts()} />
          </div>
        </header>
        {notice && (
          <aside aria-label="Notice" className="mx-auto w-full max-w-7xl px-4 pt-4 lg:px-6">
            {notice}
          </aside>
        )}
        <main
          id={MAIN_ID}
          tabIndex={-1}
          className="mx-auto w-full max-w-7xl flex-1 px-4 py-5 outline-none lg:px-6 lg:py-6"
        >
          <PageKeys onKeys={setPageKeys}>{children}</PageKeys>
        </main>
      </div>
      <CommandMenu items={items} isOpen={isCommandMenuOpen} onOpenChange={changeCommandMenu} />
      {ShortcutsSheet && (
        <ShortcutsSheet
          shortcuts={[
            ...pageKeys,
            { keys: [`${commandKey} K`], label: 'Open the command menu from anywhere' },
            // A page that searches has `/` for itself.
            ...shortcuts.filter(({ keys }) => !pageKeys.some((page) => page.keys.join() === keys.join())),
          ]}
          isOpen={isShortcutsSheetOpen}
          onOpenChange={setIsShortcutsSheetOpen}
        />
      )}
    </div>
  )
}
