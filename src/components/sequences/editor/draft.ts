import type { Received } from '#lib/contract/over-the-wire.ts'
import type { SequenceGraph } from '#lib/sequences/graph/node-types.ts'
import { type DraftNode, emailNode, graphOfNodes, isLinear, keysIn, nodesOfGraph } from '../branches/graph-draft.ts'
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

export type Draft = {
  name: string
  /** In the order of their numbers. */
  steps: DraftStep[]
  /** How they hang together; null where they follow one another. */
  nodes: DraftNode[] | null
}

/** A draft that was kept in a browser meets one of another visit: a count would give the same key twice. */
export function newKey(): string {
  return `n-${Math.random().toString(36).slice(2, 12)}`
}

type Written = { name: string; steps: readonly WrittenStep[]; graph: SequenceGraph | null }

export function draftOf({ name, steps, graph }: Written): Draft {
  const written = steps.map((step) => ({ ...textsOf(step), key: newKey(), form: formOf(step) }))
  return { name, steps: written, nodes: graph && nodesOfGraph(graph, (stepNumber) => written[stepNumber - 1]?.key) }
}

/** Also of a draft that a browser kept before there were branches. */
export const nodesOf = ({ nodes, steps }: Draft): DraftNode[] => nodes ?? steps.map(({ key }) => emailNode(key))

/**
 * The draft with its nodes in another order. Steps are numbered as they are read, after those that were launched, which
 * keep their numbers; a sequence whose steps follow one another has no branches to keep.
 */
export function withNodes(draft: Draft, nodes: DraftNode[], fixedSteps: number): Draft {
  const fixed = draft.steps.slice(0, fixedSteps)
  const isFixed = new Set(fixed.map(({ key }) => key))
  const others = new Map(draft.steps.map((step) => [step.key, step]))
  const steps = [...fixed, ...keysIn(nodes).flatMap((key) => (isFixed.has(key) ? [] : (others.get(key) ?? [])))]
  const isPlain = isLinear(nodes) && keysIn(nodes).join() === steps.map(({ key }) => key).join()
  return { ...draft, steps, nodes: isPlain ? null : nodes }
}

/** As it would be saved. */
export function graphOf({ nodes, steps }: Draft): SequenceGraph | null {
  return nodes ? graphOfNodes(nodes, (key) => steps.findIndex((step) => step.key === key) + 1) : null
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
export function inputOf(draft: Draft, fixedSteps: number) {
  const { name, steps } = draft
  return {
    name,
    graph: graphOf(draft),
    steps: steps.map((step, index) => ({ ...textsOf(step), ...(index < fixedSteps && { stepNumber: index + 1 }) })),
  }
}

export function isSaved(draft: Draft, saved: Pick<Sequence, 'name' | 'steps' | 'graph'>): boolean {
  const said = ({ name, steps, graph }: Written) =>
    JSON.stringify([name.trim(), steps.map((step) => Object.values(textsOf(step))), inOrder(graph)])
  return said({ ...draft, graph: graphOf(draft) }) === said(saved)
}

/** The same whatever order its fields were written in: the database gives them back in its own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, inside]) => inside !== undefined)
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inside]) => [name, inOrder(inside)]),
  )
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
