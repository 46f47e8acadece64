import clsx from 'clsx'
import { Check, Circle, LoaderCircle, type LucideIcon, X } from 'lucide-react'
import type { ReactNode } from 'react'

type StepState = 'waiting' | 'running' | 'done' | 'failed'

export interface ProgressStep {
  key: string
  label: string
  state: StepState
  /** Below the label: why it failed, and what to do. */
  detail?: ReactNode
}

const LOOK: Record<StepState, { icon: LucideIcon; word: string; tone: string }> = {
  waiting: { icon: Circle, word: 'not yet', tone: 'text-muted' },
  running: { icon: LoaderCircle, word: 'under way', tone: 'text-accent-text' },
  done: { icon: Check, word: 'done', tone: 'text-success-text' },
  failed: { icon: X, word: 'failed', tone: 'text-danger-text' },
}

/** Work that goes on step by step, one below the other. What changes is read aloud. */
export function ProgressSteps({ label, steps }: { label: string; steps: readonly ProgressStep[] }) {
  return (
    <ol
      aria-label={label}
      aria-live="polite"
      className="flex flex-col gap-2 rounded-lg border border-border px-3.5 py-3"
    >
      {steps.map(({ key, label: name, state, detail }) => {
        const { icon: Icon, word, tone } = LOOK[state]
        return (
          <li key={key} aria-current={state === 'running' ? 'step' : undefined} className="flex gap-2.5 text-sm">
            <Icon
              aria-hidden
              className={clsx('mt-0.5 size-4 shrink-0', tone, state === 'running' && 'motion-safe:animate-spin')}
            />
            <div className="min-w-0 flex-1">
              <p className={state === 'waiting' ? 'text-muted' : 'font-medium'}>
                {name}
                <span className="sr-only">: {word}</span>
              </p>
              {detail}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
