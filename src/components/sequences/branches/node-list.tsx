'use client'

import { Fragment } from 'react'
import { awaitedWords } from '#lib/sequences/graph/node-types.ts'
import { type DraftStep, isUnwritten, type Sequence, threadSubjectOf } from '../editor/draft.ts'
import { StepCard, type StepMove } from '../editor/step-card.tsx'
import { WaitLine } from '../editor/wait-line.tsx'
import type { Coverage } from '../fields/field-words.ts'
import { AddMenu } from './add-menu.tsx'
import { BranchFields } from './branch-fields.tsx'
import type { DraftBranch, DraftEmail, DraftNode } from './graph-draft.ts'
import type { AddedType } from './new-node.ts'
import { NodeCard, type NodeMove } from './node-card.tsx'
import { NodeFields } from './node-fields.tsx'
import type { Choices } from './use-choices.ts'

/** What every list needs, however deep it stands. */
export type ListContext = {
  steps: readonly DraftStep[]
  coverage: Coverage
  choices: Choices
  savedProblems: Sequence['problems']
  /** Of a node, what keeps the sequence from being launched. */
  problemsOf: (nodeId: string) => string[]
  shownStep: number
  /** Added just now: its text is what is written next. */
  added: string | null
  mayAddStep: boolean
  stepMoves: (index: number, nodeId: string) => StepMove[]
  nodeMoves: (nodeId: string) => NodeMove[]
  onStep: (step: DraftStep) => void
  onNode: (node: DraftNode) => void
  onStepMove: (step: DraftStep, nodeId: string, move: StepMove) => void
  onNodeMove: (node: DraftNode, move: NodeMove) => void
  onAddStep: (place: number) => void
  onAdd: (type: AddedType, place: number) => void
  onShow: (stepNumber: number) => void
}

interface NodeListProps {
  nodes: readonly DraftNode[]
  /** The first place of this list among all. */
  place: number
  /** Where it stands, for who does not see it; empty for the whole sequence. */
  where: string
  context: ListContext
}

/** One below the other; the sides of a branch within it, one below the other as well. */
export function NodeList({ nodes, place, where, context }: NodeListProps) {
  let next = place
  return (
    <div className="flex min-w-0 flex-col">
      {nodes.map((node) => {
        next += 1
        if (node.type === 'email') return <Email key={node.id} node={node} context={context} />
        const card = {
          node,
          problems: context.problemsOf(node.id),
          moves: context.nodeMoves(node.id),
          onMove: (move: NodeMove) => context.onNodeMove(node, move),
        }
        if (node.type !== 'branch')
          return (
            <NodeCard key={node.id} {...card}>
              <NodeFields node={node} choices={context.choices} onChange={context.onNode} />
            </NodeCard>
          )
        const [ofYes, ofNo] = [next, next + placesOf(node.yes)]
        next = ofNo + placesOf(node.no)
        return (
          <NodeCard key={node.id} {...card}>
            <BranchFields branch={node} onChange={context.onNode} />
            <Side node={node} side="yes" place={ofYes} context={context} />
            <Side node={node} side="no" place={ofNo} context={context} />
          </NodeCard>
        )
      })}
      <AddMenu
        where={where}
        mayAddStep={context.mayAddStep}
        first={context.choices.first}
        onAddStep={() => context.onAddStep(next)}
        onAdd={(type) => context.onAdd(type, next)}
      />
    </div>
  )
}

/** As many as graph-draft.ts counts in a list, with its end. */
function placesOf(nodes: readonly DraftNode[]): number {
  return nodes.reduce((sum, node) => sum + 1 + (node.type === 'branch' ? placesOf(node.yes) + placesOf(node.no) : 0), 1)
}

function Side({
  node,
  side,
  place,
  context,
}: {
  node: DraftBranch
  side: 'yes' | 'no'
  place: number
  context: ListContext
}) {
  const within = `within ${node.withinDays} ${node.withinDays === 1 ? 'day' : 'days'}`
  const label = side === 'yes' ? `Yes: they ${awaitedWords(node.if)} ${within}` : `No: they did not ${within}`
  return (
    <fieldset aria-label={label} className="min-w-0 border-border border-l-2 pl-2.5 sm:pl-4">
      <h3 className="font-medium text-sm">{label}</h3>
      {node[side].length === 0 && <p className="mt-1 text-[0.8125rem] text-muted">Goes on with what follows below.</p>}
      <NodeList nodes={node[side]} place={place} where={`to “${label}”`} context={context} />
    </fieldset>
  )
}

function Email({ node, context }: { node: DraftEmail; context: ListContext }) {
  const index = context.steps.findIndex(({ key }) => key === node.key)
  const step = context.steps[index]
  if (!step) return null
  const stepNumber = index + 1
  const saved = context.savedProblems
    .filter((problem) => problem.stepNumber === stepNumber && !isUnwritten(step))
    .map(({ sentence, text, line, column }) =>
      text === 'bodyHtml' ? `Line ${line}, column ${column}: ${sentence}` : sentence,
    )
  return (
    <Fragment>
      {index > 0 && (
        <WaitLine
          stepNumber={stepNumber}
          days={step.delayDays}
          onChange={(delayDays) => context.onStep({ ...step, delayDays })}
        />
      )}
      <StepCard
        stepNumber={stepNumber}
        step={step}
        threadSubject={threadSubjectOf(context.steps, index)}
        coverage={context.coverage}
        savedProblems={[...saved, ...context.problemsOf(node.id)]}
        isShown={stepNumber === context.shownStep}
        isAdded={step.key === context.added}
        moves={context.stepMoves(index, node.id)}
        onChange={context.onStep}
        onMove={(move) => context.onStepMove(step, node.id, move)}
        onEnter={() => context.onShow(stepNumber)}
      />
    </Fragment>
  )
}
