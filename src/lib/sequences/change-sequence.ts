import { setImmediate as nextTurn } from 'node:timers/promises'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { nameOfCopy } from '#lib/platform/rows/name-of-copy.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { keepGraph } from './graph/graph-versions.ts'
import type { SequenceGraph } from './graph/node-types.ts'
import { inlineStyles } from './inline-styles.ts'
import { loadSequence, lockSequence, type SequenceWithSteps } from './sequence.ts'
import { isSameGraph, type StepChanges, type StepInput, stepChanges, wordsOfChanges } from './step-changes.ts'
import type { WrittenStep } from './steps.ts'
import { goOnWithVersion, keepVersion, type SavedBy } from './versions.ts'

export type SequenceInput = { name: string; steps: StepInput[]; graph?: SequenceGraph | null | undefined }

export async function createSequence(
  tx: Sql,
  workspaceId: string,
  { name, steps, graph = null }: SequenceInput,
  by: SavedBy = null,
): Promise<SequenceWithSteps> {
  const id = newId()
  await tx.query(
    `INSERT INTO sequences (id, workspace_id, name, graph, created_at, updated_at) VALUES ($1, $2, $3, $4, app_now(), app_now())`,
    [id, workspaceId, name, graph && JSON.stringify(graph)],
  )
  await writeSteps(tx, id, steps)
  const made = await loadSequence(tx, workspaceId, id)
  await keepVersion(tx, id, by, { ...made, changes: [] })
  return { ...made, savedByEmail: by?.email ?? null }
}

/** A sequence of its own with the same texts, never launched. */
export async function duplicateSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  by: SavedBy,
): Promise<SequenceWithSteps> {
  const { name, steps, graph } = await loadSequence(tx, workspaceId, id)
  return createSequence(tx, workspaceId, { name: nameOfCopy(name), steps, graph }, by)
}

/**
 * Writes a sequence anew. Before the first launch anything goes. After it, keys name the steps by their numbers, so
 * that texts and waits may change and steps may follow the last one, and nothing else.
 */
export async function changeSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  edit: Partial<SequenceInput>,
  by: SavedBy = null,
  expected?: Expected,
): Promise<{ sequence: SequenceWithSteps; changes: StepChanges }> {
  const before = await lockSequence(tx, workspaceId, id)
  refuseStale(expected, before.version)
  const isLaunched = before.launchedAt !== null
  const { name = before.name, steps = before.steps, graph = before.graph } = edit
  if (isLaunched) {
    refuseRenumbering(before.steps, steps)
    if ((before.graph === null) !== (graph === null)) throw BRANCHES_ARE_FIXED
  }
  const words = wordsOfChanges(before, { name, steps, graph })
  if (words.length > 0) {
    await tx.query('UPDATE sequences SET name = $2, graph = $3, updated_at = app_now() WHERE id = $1', [
      id,
      name,
      graph && JSON.stringify(graph),
    ])
    if (isLaunched && graph && !isSameGraph(before.graph, graph)) await keepGraph(tx, id, 'as the next version')
    if (!isLaunched)
      await tx.query('DELETE FROM sequence_steps WHERE sequence_id = $1 AND step_number > $2', [id, steps.length])
    await writeSteps(tx, id, steps)
    const kept = { version: before.version + 1, name, steps: numbered(steps), graph, changes: words }
    if (isLaunched || !(await goOnWithVersion(tx, id, by, kept))) await keepVersion(tx, id, by, kept)
  }
  const sequence = await loadSequence(tx, workspaceId, id)
  if (isLaunched && sequence.problems.length + sequence.graphProblems.length > 0)
    throw new PublicError(
      409,
      'sequence-in-use',
      `The sequence has been launched, so what is saved is sent; mend the ${sequence.problems.length > 0 ? 'texts' : 'branches'} first. ${sequence.graphProblems[0]?.sentence ?? ''}`.trim(),
      { problems: sequence.problems, graphProblems: sequence.graphProblems },
    )
  const none: StepChanges = { texts: [], delays: [], appended: [] }
  return { sequence, changes: isLaunched ? stepChanges(before.steps, steps) : none }
}

const BRANCHES_ARE_FIXED = new PublicError(
  409,
  'branches-are-fixed',
  'The sequence has been launched: one without branches stays without them, and one with them keeps them. Duplicate it to begin anew.',
)

function refuseRenumbering(before: readonly WrittenStep[], steps: readonly StepInput[]): void {
  const inPlace = before.every(({ stepNumber }, index) => steps[index]?.stepNumber === stepNumber)
  const appended = steps.slice(before.length).every(({ stepNumber }) => stepNumber === undefined)
  if (inPlace && appended) return
  throw new PublicError(
    409,
    'steps-are-fixed',
    'The sequence has been launched: its steps keep their places. Change their texts and waits, or add steps at the end.',
  )
}

function numbered(steps: readonly StepInput[]): WrittenStep[] {
  return steps.map(({ delayDays, subject, bodyText, bodyHtml }, index) => {
    return { stepNumber: index + 1, delayDays, subject, bodyText, bodyHtml }
  })
}

async function writeSteps(tx: Sql, sequenceId: string, steps: readonly StepInput[]): Promise<void> {
  const inlined: (string | null)[] = []
  for (const { bodyHtml } of steps) {
    const styled = inlineStyles(bodyHtml)
    inlined.push(styled)
    // Fifty long steps with style sheets take a second or more; other requests have their turn between two.
    if (styled !== null) await nextTurn()
  }
  await tx.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, subject, body_text, body_html, inlined_html, created_at, updated_at)
     SELECT s.id, $1, s.number, s.delay_days, s.subject, s.body_text, s.body_html, s.inlined_html, app_now(), app_now()
     FROM unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
       AS s(id, delay_days, subject, body_text, body_html, inlined_html, number)
     ON CONFLICT (sequence_id, step_number) DO UPDATE SET delay_days = excluded.delay_days, subject = excluded.subject,
       body_text = excluded.body_text, body_html = excluded.body_html, inlined_html = excluded.inlined_html,
       updated_at = app_now()`,
    [
      sequenceId,
      steps.map(newId),
      steps.map(({ delayDays }) => delayDays),
      steps.map(({ subject }) => subject),
      steps.map(({ bodyText }) => bodyText),
      steps.map(({ bodyHtml }) => bodyHtml),
      inlined,
    ],
  )
}

/** With the sequence locked: from here on its steps keep their numbers. */
export async function markLaunched(tx: Sql, sequenceId: string): Promise<void> {
  await tx.query('UPDATE sequences SET launched_at = coalesce(launched_at, app_now()) WHERE id = $1', [sequenceId])
  await keepGraph(tx, sequenceId, 'once')
}
