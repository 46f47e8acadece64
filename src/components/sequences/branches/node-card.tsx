'use client'

import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { NODE_TYPES } from '#lib/sequences/graph/node-types.ts'
import { StepNotes } from '../editor/step-notes.tsx'
import { NODE_ICONS } from './add-menu.tsx'
import type { DraftEmail, DraftNode } from './graph-draft.ts'

export type NodeMove = 'up' | 'down' | 'remove'

interface NodeCardProps {
  node: Exclude<DraftNode, DraftEmail>
  problems: readonly string[]
  moves: readonly NodeMove[]
  onMove: (move: NodeMove) => void
  /** Its fields. */
  children: ReactNode
}

const MOVES: Record<NodeMove, { label: string; icon: typeof Trash2 }> = {
  up: { label: 'Move up', icon: ArrowUp },
  down: { label: 'Move down', icon: ArrowDown },
  remove: { label: 'Remove', icon: Trash2 },
}

/** Everything in a sequence that is no email. */
export function NodeCard({ node, problems, moves, onMove, children }: NodeCardProps) {
  const { name } = NODE_TYPES[node.type]
  const Icon = NODE_ICONS[node.type]
  return (
    <fieldset
      aria-labelledby={`heading-${node.id}`}
      className="mt-4 flex min-w-0 flex-col gap-3 rounded-lg border border-border bg-surface p-3 shadow-card sm:p-4"
    >
      <header className="flex items-center justify-between gap-2">
        <h2 id={`heading-${node.id}`} className="flex items-center gap-2 font-semibold text-sm">
          <Icon aria-hidden className="size-4 text-muted" />
          {name}
        </h2>
        <RowMenu label={`Actions for “${name}”`}>
          {moves.map((move) => {
            const { label, icon: MoveIcon } = MOVES[move]
            return (
              <MenuItem key={move} icon={<MoveIcon aria-hidden />} onSelect={() => onMove(move)}>
                {label}
              </MenuItem>
            )
          })}
        </RowMenu>
      </header>
      {children}
      <StepNotes problems={[...problems]} lacks={[]} />
    </fieldset>
  )
}
