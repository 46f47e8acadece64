'use client'

import { Plus } from 'lucide-react'
import { Fragment, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import type { Coverage } from '../fields/field-words.ts'
import { copyOf, type Draft, type DraftStep, emptyStep, isUnwritten, type Sequence, threadSubjectOf } from './draft.ts'
import { StepCard, type StepMove } from './step-card.tsx'
import { WaitLine } from './wait-line.tsx'

interface StepListProps {
  draft: Draft
  coverage: Coverage
  /** Steps up to here were launched, and keep their places. */
  fixedSteps: number
  /** Of what is saved; empty while something else is written. */
  problems: Sequence['problems']
  shownStep: number
  onChange: (change: (draft: Draft) => Draft) => void
  onShow: (stepNumber: number) => void
}

const USUAL_WAIT_DAYS = 3
const STEPS_MAX = 50

export function StepList({ draft, coverage, fixedSteps, problems, shownStep, onChange, onShow }: StepListProps) {
  const { steps } = draft
  /** Added just now: its text is what is written next. */
  const [added, setAdded] = useState<string | null>(null)
  const write = (change: (steps: readonly DraftStep[]) => DraftStep[]) =>
    onChange((current) => ({ ...current, steps: change(current.steps) }))

  function move(step: DraftStep, what: StepMove) {
    if (what === 'remove') {
      write((all) => all.filter(({ key }) => key !== step.key))
      const at = steps.indexOf(step)
      toastWithUndo(`Step ${at + 1} is gone.`, async () => {
        write((all) => all.toSpliced(at, 0, step))
        return 'The step is back.'
      })
    } else
      write((all) => {
        const at = all.findIndex(({ key }) => key === step.key)
        if (what === 'copy') return all.toSpliced(at + 1, 0, copyOf(step))
        const rest = all.toSpliced(at, 1)
        return rest.toSpliced(what === 'up' ? at - 1 : at + 1, 0, step)
      })
  }

  function movesOf(index: number): StepMove[] {
    if (index < fixedSteps) return []
    const moves: StepMove[] = []
    if (index > fixedSteps) moves.push('up')
    if (index < steps.length - 1) moves.push('down')
    if (steps.length < STEPS_MAX) moves.push('copy')
    return [...moves, 'remove']
  }

  return (
    <div className="flex min-w-0 flex-col">
      {steps.map((step, index) => (
        <Fragment key={step.key}>
          {index > 0 && (
            <WaitLine
              stepNumber={index + 1}
              days={step.delayDays}
              onChange={(delayDays) =>
                write((all) => all.map((one) => (one.key === step.key ? { ...one, delayDays } : one)))
              }
            />
          )}
          <StepCard
            stepNumber={index + 1}
            step={step}
            threadSubject={threadSubjectOf(steps, index)}
            coverage={coverage}
            savedProblems={problems
              .filter(({ stepNumber }) => stepNumber === index + 1 && !isUnwritten(step))
              .map(({ sentence, text, line, column }) =>
                text === 'bodyHtml' ? `Line ${line}, column ${column}: ${sentence}` : sentence,
              )}
            isShown={index + 1 === shownStep}
            isAdded={step.key === added}
            moves={movesOf(index)}
            onChange={(next) => write((all) => all.map((one) => (one.key === step.key ? next : one)))}
            onMove={(what) => move(step, what)}
            onEnter={() => onShow(index + 1)}
          />
        </Fragment>
      ))}
      {steps.length < STEPS_MAX && (
        <Button
          icon={<Plus />}
          className="mt-4 self-start"
          onClick={() => {
            const step = emptyStep(steps.length === 0 ? 0 : USUAL_WAIT_DAYS)
            write((all) => [...all, step])
            setAdded(step.key)
            onShow(steps.length + 1)
          }}
        >
          Add a step
        </Button>
      )}
    </div>
  )
}
