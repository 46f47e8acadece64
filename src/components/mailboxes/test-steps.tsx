'use client'

import { useEffect, useRef, useState } from 'react'
import type { Told } from '#lib/contract/over-the-wire.ts'
import { ApiError } from '../api-client.ts'
import { type ProgressStep, ProgressSteps } from '../ui/progress-steps.tsx'

type TestStep = Told<'POST /api/mailboxes/[id]/test'>['step']

export interface TestFailure {
  step: TestStep
  sentence: string
  providerText: string | null
}

/** A test under way or over; `at` is the step that it has come to. */
export interface TestRun {
  at: TestStep
  told: readonly TestStep[]
  failure: TestFailure | null
  isOver: boolean
}

/** Steps that the server in question takes. */
export type TestPath =
  | { isGmail?: false; isEncrypted: boolean; hasLogin: boolean; sendsMessage: boolean }
  | { isGmail: true; makesDrafts: boolean }

const STEPS: Record<TestStep, { label: string; takes: (path: TestPath) => boolean }> = {
  name: { label: 'Find the server by its name', takes: ({ isGmail }) => !isGmail },
  connection: { label: 'Connect', takes: ({ isGmail }) => !isGmail },
  encryption: { label: 'Encrypt', takes: (path) => !path.isGmail && path.isEncrypted },
  login: { label: 'Log in', takes: (path) => path.isGmail || path.hasLogin },
  draft: { label: 'Make a draft', takes: (path) => path.isGmail === true && path.makesDrafts },
  fence: {
    label: 'Delete it, and see that it can no longer be sent',
    takes: (path) => path.isGmail === true && path.makesDrafts,
  },
  message: { label: 'Hand over a message to you', takes: (path) => path.isGmail || path.sendsMessage },
}
const ORDER = Object.keys(STEPS) as TestStep[]

export function useTestRun() {
  const [run, setRun] = useState<TestRun | null>(null)
  return {
    run,
    begin: (at: TestStep = 'name') => setRun({ at, told: [at], failure: null, isOver: false }),
    reach: ({ step }: { step: TestStep }) =>
      setRun((now) => ({ at: step, told: [...(now?.told ?? []), step], failure: null, isOver: false })),
    succeed: () => setRun((now) => now && { ...now, isOver: true }),
    fail: (failure: TestFailure) =>
      setRun((now) => ({ at: failure.step, told: now?.told ?? [], failure, isOver: true })),
    forget: () => setRun(null),
  }
}

export function TestSteps({ run, path }: { run: TestRun; path: TestPath }) {
  const at = ORDER.indexOf(run.at)
  const steps = ORDER.flatMap((key, index): ProgressStep[] => {
    const { takes } = STEPS[key]
    const label = key === 'message' && path.isGmail ? 'Send a message to itself' : STEPS[key].label
    const isFailed = run.failure?.step === key
    if (!takes(path) && !isFailed) return []
    const isPast = index < at || (run.isOver && run.failure === null)
    // Whether drafts are made depends on what was granted, which a page may not know yet.
    if (path.isGmail && isPast && !run.told.includes(key)) return []
    const state = isFailed ? 'failed' : isPast ? 'done' : index === at ? 'running' : 'waiting'
    return [{ key, label, state, ...(isFailed && run.failure && { detail: <Why failure={run.failure} /> }) }]
  })
  // Below the fold of a long form, the steps would go by unseen.
  const place = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each step that it comes to
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [run])
  return (
    <div ref={place} className="scroll-mb-20">
      <ProgressSteps label="Test of the mailbox" steps={steps} />
    </div>
  )
}

function Why({ failure: { sentence, providerText } }: { failure: TestFailure }) {
  return (
    <>
      <p className="mt-0.5 text-danger-text">{sentence}</p>
      {providerText && (
        <p className="mt-1 break-words font-mono text-muted text-xs">
          <span className="sr-only">The server said: </span>
          {providerText}
        </p>
      )}
    </>
  )
}

/** The failed step in an answer that refuses access for it. */
export function testFailureIn(error: unknown): TestFailure | null {
  if (!(error instanceof ApiError) || error.code !== 'mailbox-test-failed') return null
  const { step, providerText } = Object(error.details) as { step?: unknown; providerText?: unknown }
  const known = ORDER.find((name) => name === step)
  if (!known) return null
  return { step: known, sentence: error.message, providerText: typeof providerText === 'string' ? providerText : null }
}
