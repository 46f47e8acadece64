'use client'

import { ArrowDown, ArrowUp, Copy, Trash2 } from 'lucide-react'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import type { Coverage } from '../fields/field-words.ts'
import { BodyField } from './body-field.tsx'
import type { DraftStep } from './draft.ts'
import { notesOn, StepNotes } from './step-notes.tsx'
import { SubjectField } from './subject-field.tsx'

export type StepMove = 'up' | 'down' | 'copy' | 'remove'

interface StepCardProps {
  stepNumber: number
  step: DraftStep
  threadSubject: string
  coverage: Coverage
  /** Of the saved text, with lines and columns. */
  savedProblems: readonly string[]
  isShown: boolean
  isAdded: boolean
  /** What may be done with it; a launched step keeps its place. */
  moves: readonly StepMove[]
  onChange: (step: DraftStep) => void
  onMove: (move: StepMove) => void
  onEnter: () => void
}

const MOVES: Record<StepMove, { label: string; icon: typeof Copy }> = {
  up: { label: 'Move up', icon: ArrowUp },
  down: { label: 'Move down', icon: ArrowDown },
  copy: { label: 'Duplicate', icon: Copy },
  remove: { label: 'Remove', icon: Trash2 },
}

export function StepCard(props: StepCardProps) {
  const {
    stepNumber,
    step,
    threadSubject,
    coverage,
    savedProblems,
    isShown,
    isAdded,
    moves,
    onChange,
    onMove,
    onEnter,
  } = props
  const { problems, lacks } = notesOn(step, coverage)
  return (
    <section
      aria-labelledby={`heading-${step.key}`}
      onFocusCapture={onEnter}
      data-shown={isShown || undefined}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-border bg-surface p-4 shadow-card data-shown:border-accent"
    >
      <header className="flex items-center justify-between gap-2">
        <h2 id={`heading-${step.key}`} className="font-semibold text-sm">
          Step {stepNumber}
        </h2>
        {moves.length > 0 && (
          <RowMenu label={`Actions for step ${stepNumber}`}>
            {moves.map((move) => {
              const { label, icon: Icon } = MOVES[move]
              return (
                <MenuItem key={move} icon={<Icon aria-hidden />} onSelect={() => onMove(move)}>
                  {label}
                </MenuItem>
              )
            })}
          </RowMenu>
        )}
      </header>
      <SubjectField
        of={`step ${stepNumber}`}
        value={step.subject}
        threadSubject={stepNumber > 1 ? threadSubject : undefined}
        coverage={coverage}
        onChange={(subject) => onChange({ ...step, subject })}
      />
      <BodyField of={`step ${stepNumber}`} step={step} isAdded={isAdded} coverage={coverage} onChange={onChange} />
      <StepNotes problems={[...new Set([...problems, ...savedProblems])]} lacks={lacks} />
    </section>
  )
}
