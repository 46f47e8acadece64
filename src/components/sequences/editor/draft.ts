import type { Received } from '#lib/contract/over-the-wire.ts'
import { htmlOfText, readRich, textOfHtml } from '../fields/read-rich.ts'

export type Sequence = Received<'GET /api/sequences/[id]'>
type WrittenStep = Omit<Sequence['steps'][number], 'stepNumber'>

/** How the body of a step is written. */
export type Form = 'rich' | 'html' | 'text'

export type DraftStep = WrittenStep & {
  /** Of this page: it stays with the step when steps change places. */
  key: string
  form: Form
}

export type Draft = { name: string; steps: DraftStep[] }

let keys = 0
function newKey(): string {
  keys += 1
  return `step-${keys}`
}

export function draftOf({ name, steps }: Pick<Sequence, 'name'> & { steps: readonly WrittenStep[] }): Draft {
  return { name, steps: steps.map((step) => ({ ...textsOf(step), key: newKey(), form: formOf(step) })) }
}

/** A new step is rich text; one that HTML says more in is HTML. */
export function formOf({ bodyText, bodyHtml }: WrittenStep): Form {
  if (bodyHtml.trim() === '') return bodyText.trim() === '' ? 'rich' : 'text'
  return readRich(bodyHtml).lost.length === 0 ? 'rich' : 'html'
}

export function emptyStep(delayDays: number): DraftStep {
  return { key: newKey(), form: 'rich', delayDays, subject: '', bodyText: '', bodyHtml: '' }
}

export const copyOf = (step: DraftStep): DraftStep => ({ ...step, key: newKey() })

const textsOf = ({ delayDays, subject, bodyText, bodyHtml }: WrittenStep): WrittenStep => {
  return { delayDays, subject, bodyText, bodyHtml }
}

/** As the API takes it; `fixedSteps` of a launched sequence say which they are. */
export function inputOf({ name, steps }: Draft, fixedSteps: number) {
  return {
    name,
    steps: steps.map((step, index) => ({ ...textsOf(step), ...(index < fixedSteps && { stepNumber: index + 1 }) })),
  }
}

export function isSaved(draft: Draft, saved: Pick<Sequence, 'name' | 'steps'>): boolean {
  const said = ({ name, steps }: { name: string; steps: readonly WrittenStep[] }) =>
    JSON.stringify([name.trim(), steps.map((step) => Object.values(textsOf(step)))])
  return said(draft) === said(saved)
}

/** The subject of the thread that a step answers in; empty for one that begins a thread. */
export function threadSubjectOf(steps: readonly DraftStep[], index: number): string {
  return steps.slice(0, index).findLast(({ subject }) => subject.trim() !== '')?.subject ?? ''
}

export type FormChange = {
  step: DraftStep
  /** What the other form cannot say, in words; empty where nothing is lost. */
  lost: string[]
}

/** The same step in another form. */
export function inForm(step: DraftStep, form: Form): FormChange {
  const { bodyHtml, bodyText } = step
  if (step.form === 'text') {
    return { step: { ...step, form, bodyHtml: htmlOfText(bodyText), bodyText: '' }, lost: [] }
  }
  if (form === 'text') {
    const text = bodyText.trim() === '' ? textOfHtml(bodyHtml) : bodyText
    const { html: asRich, lost } = readRich(bodyHtml)
    const isPlain = asRich === readRich(htmlOfText(text)).html
    return { step: { ...step, form, bodyText: text, bodyHtml: '' }, lost: isPlain ? [] : ['its looks', ...lost] }
  }
  return { step: { ...step, form }, lost: form === 'rich' ? readRich(bodyHtml).lost : [] }
}

/** Nobody is told that a step lacks something before its first letter. */
export const isUnwritten = ({ subject, bodyText, bodyHtml }: DraftStep) => (subject + bodyText + bodyHtml).trim() === ''
