import { isDeepStrictEqual } from 'node:util'
import type { SequenceGraph } from './graph/node-types.ts'
import type { StepTexts } from './merge-fields.ts'

/** A step as it is written down; its number is its place in the list. */
export type StepInput = StepTexts & {
  delayDays: number
  /** The step that this one was; absent for a new one. Wanted once the sequence has been launched. */
  stepNumber?: number | undefined
}

/** Step numbers by what changed in them. */
export type StepChanges = { texts: number[]; delays: number[]; appended: number[] }

type Numbered = StepInput & { stepNumber: number }

/** By the places of the steps. */
export function stepChanges(before: readonly Numbered[], steps: readonly StepInput[]): StepChanges {
  const kept = before.flatMap((old, index) => {
    const step = steps[index]
    return step ? [{ old, step }] : []
  })
  const numbers = (differs: (pair: (typeof kept)[number]) => boolean) =>
    kept.filter(differs).map(({ old }) => old.stepNumber)
  return {
    texts: numbers(({ old, step }) => old.subject !== step.subject || hasOtherBody(old, step)),
    delays: numbers(({ old, step }) => old.delayDays !== step.delayDays),
    appended: steps.slice(before.length).map((_, index) => before.length + index + 1),
  }
}

const hasOtherBody = (one: StepTexts, other: StepTexts) =>
  one.bodyText !== other.bodyText || one.bodyHtml !== other.bodyHtml

type Written = { name: string; steps: readonly StepInput[]; graph?: SequenceGraph | null }

/** What Postgres keeps has its fields in another order than what comes in. */
export function isSameGraph(one: SequenceGraph | null = null, other: SequenceGraph | null = null): boolean {
  return isDeepStrictEqual(one, other)
}

/** What differs between two versions, a few words each: "the subject of step 2". */
export function wordsOfChanges(before: Written, after: Written): string[] {
  const words: string[] = []
  if (before.name !== after.name) words.push('the name')
  for (const [index, step] of after.steps.entries()) {
    const old = before.steps[index]
    const number = index + 1
    if (!old) words.push(`step ${number} is new`)
    else {
      if (old.subject !== step.subject) words.push(`the subject of step ${number}`)
      if (hasOtherBody(old, step)) words.push(`the text of step ${number}`)
      if (index > 0 && old.delayDays !== step.delayDays) words.push(`the wait before step ${number}`)
    }
  }
  for (let number = after.steps.length + 1; number <= before.steps.length; number += 1)
    words.push(`step ${number} is gone`)
  if (!isSameGraph(before.graph, after.graph)) words.push('the branches')
  return words
}
