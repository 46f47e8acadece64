'use client'

import { Keyboard, LogOut } from 'lucide-react'
import { DropdownMenu, MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { Avatar } from '../ui/avatar.tsx'

export interface ShellUser {
  name: string
  email: string
}

interface UserMenuProps {
  user: ShellUser
  onSignOut: () => void
  onShowShortcuts: () => void
}

export function UserMenu({ user, onSignOut, onShowShortcuts }: UserMenuProps) {
  return (
    <DropdownMenu
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex size-10 items-center justify-center rounded-full hover:bg-sunken data-[state=open]:bg-sunken lg:size-8"
        >
          <Avatar name={user.name} />
          <span className="sr-only">Account of {user.name}</span>
        </button>
      }
    >
      <div className="px-2 py-1.5">
        <p className="truncate font-medium text-sm">{user.name}</p>
        <p className="truncate text-[0.8125rem] text-muted">{user.email}</p>
      </div>
      <MenuSeparator />
      <MenuItem icon={<Keyboard aria-hidden />} onSelect={onShowShortcuts}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem icon={<LogOut aria-hidden />} onSelect={onSignOut}>
        Sign out
      </MenuItem>
    </DropdownMenu>
  )
}
