'use client'

import { useState } from 'react'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { graphProblems } from '#lib/sequences/graph/graph-problems.ts'
import { NODE_TYPES } from '#lib/sequences/graph/node-types.ts'
import {
  changedNode,
  type DraftNode,
  emailNode,
  insertAt,
  keysIn,
  movedNode,
  placeOf,
  waysOf,
  withoutNode,
} from '../branches/graph-draft.ts'
import { newNode } from '../branches/new-node.ts'
import type { NodeMove } from '../branches/node-card.tsx'
import { type ListContext, NodeList } from '../branches/node-list.tsx'
import { useChoices } from '../branches/use-choices.ts'
import type { Coverage } from '../fields/field-words.ts'
import { copyOf, type Draft, type DraftStep, emptyStep, graphOf, nodesOf, type Sequence, withNodes } from './draft.ts'
import type { StepMove } from './step-card.tsx'
import { StepNotes } from './step-notes.tsx'

interface StepListProps {
  sequenceId: string
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

/** The sequence as it is read: emails and the waits between them, and branches where it has some. */
export function StepList(props: StepListProps) {
  const { sequenceId, draft, coverage, fixedSteps, problems, shownStep, onChange, onShow } = props
  const { steps } = draft
  const nodes = nodesOf(draft)
  const choices = useChoices(sequenceId)
  const [added, setAdded] = useState<string | null>(null)
  const graph = graphOf(draft)
  const found = graph
    ? graphProblems(
        graph,
        steps.map((_, index) => index + 1),
      )
    : []

  const put = (change: (nodes: DraftNode[]) => DraftNode[]) =>
    onChange((current) => withNodes(current, change(nodesOf(current)), fixedSteps))
  const write = (step: DraftStep) =>
    onChange((current) => ({
      ...current,
      steps: current.steps.map((one) => (one.key === step.key ? step : one)),
    }))
  const insertStep = (step: DraftStep, placeIn: (nodes: DraftNode[]) => number) =>
    onChange((current) => {
      const known = nodesOf(current)
      const together = { ...current, nodes: known, steps: [...current.steps, step] }
      return withNodes(together, insertAt(known, placeIn(known), emailNode(step.key)), fixedSteps)
    })

  function remove(node: DraftNode, what: string) {
    const before = draft
    put((all) => withoutNode(all, node.id))
    toastWithUndo(`${what} is gone.`, async () => {
      onChange((current) => backAgain(current, before, node, fixedSteps))
      return `${what} is back.`
    })
  }

  function moveStep(step: DraftStep, nodeId: string, move: StepMove) {
    if (move === 'remove') remove({ ...emailNode(step.key), id: nodeId }, `Step ${steps.indexOf(step) + 1}`)
    else if (move === 'copy') insertStep(copyOf(step), (all) => (placeOf(all, nodeId) ?? 0) + 1)
    else put((all) => movedNode(all, nodeId, move === 'up' ? -1 : 1))
  }

  function stepMoves(index: number, nodeId: string): StepMove[] {
    if (index < fixedSteps) return []
    const { up, down } = waysOf(nodes, nodeId)
    const moves: StepMove[] = []
    // Of steps that follow one another, none goes before those that were launched.
    if (up && (draft.nodes !== null || index > fixedSteps)) moves.push('up')
    if (down) moves.push('down')
    if (steps.length < STEPS_MAX) moves.push('copy')
    return [...moves, 'remove']
  }

  function nodeMoves(nodeId: string): NodeMove[] {
    const { up, down } = waysOf(nodes, nodeId)
    return [...(up ? (['up'] as const) : []), ...(down ? (['down'] as const) : []), 'remove']
  }

  const context: ListContext = {
    ...{ steps, coverage, choices, shownStep, added, stepMoves, nodeMoves, onShow },
    savedProblems: problems,
    problemsOf: (nodeId) => found.flatMap((problem) => (problem.nodeId === nodeId ? problem.sentence : [])),
    mayAddStep: steps.length < STEPS_MAX,
    onStep: write,
    onNode: (node) => put((all) => changedNode(all, node)),
    onStepMove: moveStep,
    onNodeMove: (node, move) => {
      if (move === 'remove') remove(node, `“${NODE_TYPES[node.type].name}”`)
      else put((all) => movedNode(all, node.id, move === 'up' ? -1 : 1))
    },
    onAddStep: (place) => {
      const step = emptyStep(steps.length === 0 ? 0 : USUAL_WAIT_DAYS)
      insertStep(step, () => place)
      setAdded(step.key)
      const number = keysIn(insertAt(nodes, place, emailNode(step.key))).indexOf(step.key) + 1
      onShow(Math.max(number, fixedSteps + 1))
    },
    onAdd: (type, place) => put((all) => insertAt(all, place, newNode(type, choices.first))),
  }
  const whole = found.filter(({ nodeId }) => nodeId === null).map(({ sentence }) => sentence)
  return (
    <div className="flex min-w-0 flex-col">
      {whole.length > 0 && (
        <div className="mb-3">
          <StepNotes problems={whole} lacks={[]} />
        </div>
      )}
      <NodeList nodes={nodes} place={0} where="" context={context} />
    </div>
  )
}

/** What was taken out, with the steps in it, where it stood; what was written since stays. */
function backAgain(current: Draft, before: Draft, node: DraftNode, fixedSteps: number): Draft {
  const was = nodesOf(before)
  const lost = new Set(keysIn([node]))
  const there = new Set(current.steps.map(({ key }) => key))
  const steps = [...current.steps, ...before.steps.filter(({ key }) => lost.has(key) && !there.has(key))]
  const place = placeOf(was, node.id) ?? 0
  return withNodes({ ...current, steps }, insertAt(nodesOf(current), place, node), fixedSteps)
}
