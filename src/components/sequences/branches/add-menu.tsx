'use client'

import {
  Bell,
  Clock,
  CornerDownRight,
  FilePenLine,
  GitBranch,
  ListMinus,
  ListPlus,
  type LucideIcon,
  Octagon,
  Plus,
} from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { DropdownMenu, MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { NODE_TYPES } from '#lib/sequences/graph/node-types.ts'
import { ADDABLE, type AddedType, type FirstChoices, lackFor } from './new-node.ts'

export const NODE_ICONS: Record<AddedType, LucideIcon> = {
  branch: GitBranch,
  wait: Clock,
  'set-field': FilePenLine,
  'add-to-list': ListPlus,
  'remove-from-list': ListMinus,
  notify: Bell,
  move: CornerDownRight,
  end: Octagon,
}

interface AddMenuProps {
  /** Where it would stand, for who does not see it; empty for the end of the whole sequence. */
  where: string
  mayAddStep: boolean
  first: FirstChoices
  onAddStep: () => void
  onAdd: (type: AddedType) => void
}

/** At the end of a list: another email, or anything else that a sequence does. */
export function AddMenu({ where, mayAddStep, first, onAddStep, onAdd }: AddMenuProps) {
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      {mayAddStep && (
        <Button icon={<Plus />} onClick={onAddStep}>
          Add a step{where !== '' && <span className="sr-only"> {where}</span>}
        </Button>
      )}
      <DropdownMenu
        align="start"
        trigger={
          <button type="button" className={buttonStyle()}>
            <GitBranch aria-hidden className="size-4" />
            Add a wait, branch or action{where !== '' && <span className="sr-only"> {where}</span>}
          </button>
        }
      >
        {ADDABLE.map((type) => {
          const Icon = NODE_ICONS[type]
          const lack = lackFor(type, first)
          return (
            <MenuItem key={type} icon={<Icon aria-hidden />} disabled={lack !== undefined} onSelect={() => onAdd(type)}>
              {NODE_TYPES[type].name}
              {lack && <span className="text-muted"> ({lack})</span>}
            </MenuItem>
          )
        })}
      </DropdownMenu>
    </div>
  )
}
