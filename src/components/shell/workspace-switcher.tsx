'use client'

import { ChevronsUpDown, Plus } from 'lucide-react'
import { DropdownMenu, MenuChoice, MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { Avatar } from '../ui/avatar.tsx'

export interface WorkspaceChoice {
  id: string
  name: string
}

interface WorkspaceSwitcherProps {
  workspaces: readonly WorkspaceChoice[]
  currentId: string
  onSwitch: (workspaceId: string) => void
  /** Left out for someone who may not make one. */
  onCreate?: () => void
}

export function WorkspaceSwitcher({ workspaces, currentId, onSwitch, onCreate }: WorkspaceSwitcherProps) {
  const name = workspaces.find((workspace) => workspace.id === currentId)?.name ?? 'No workspace'
  return (
    <DropdownMenu
      align="start"
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex h-11 w-full min-w-0 items-center gap-2.5 rounded-md px-2 text-left hover:bg-sunken data-[state=open]:bg-sunken lg:h-10"
        >
          <Avatar name={name} shape="square" />
          <span className="min-w-0 flex-1 truncate font-medium text-sm">
            <span className="sr-only">Workspace: </span>
            {name}
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      <MenuChoice
        label="Workspaces"
        value={currentId}
        onValueChange={(id) => id !== currentId && onSwitch(id)}
        options={workspaces.map((workspace) => ({
          value: workspace.id,
          label: workspace.name,
          icon: <Avatar name={workspace.name} shape="square" />,
        }))}
      />
      {onCreate && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Plus aria-hidden />} onSelect={onCreate}>
            New workspace
          </MenuItem>
        </>
      )}
    </DropdownMenu>
  )
}
