import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { loadSequence, lockSequence, type SequenceWithSteps } from './sequence.ts'
import type { WrittenStep } from './steps.ts'

/** A step as it is written down; its number is its place in the list. */
export type StepInput = Omit<WrittenStep, 'stepNumber'> & {
  /** The step that this one was; absent for a new one. Wanted once the sequence has been launched. */
  stepNumber?: number | undefined
}

export type SequenceInput = { name: string; steps: StepInput[] }

export async function createSequence(
  tx: Sql,
  workspaceId: string,
  { name, steps }: SequenceInput,
): Promise<SequenceWithSteps> {
  const id = newId()
  await tx.query(
    `INSERT INTO sequences (id, workspace_id, name, created_at, updated_at) VALUES ($1, $2, $3, app_now(), app_now())`,
    [id, workspaceId, name],
  )
  await writeSteps(tx, id, steps)
  return loadSequence(tx, workspaceId, id)
}

/** Step numbers by what changed in them. */
export type StepChanges = { texts: number[]; delays: number[]; appended: number[] }

/**
 * Writes a sequence anew. Before the first launch anything goes. After it, keys name the steps by their numbers, so
 * that texts and waits may change and steps may follow the last one, and nothing else.
 */
export async function changeSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  { name, steps }: Partial<SequenceInput>,
): Promise<{ sequence: SequenceWithSteps; changes: StepChanges }> {
  const before = await lockSequence(tx, workspaceId, id)
  const changes: StepChanges = { texts: [], delays: [], appended: [] }
  if (name !== undefined)
    await tx.query('UPDATE sequences SET name = $2, updated_at = app_now() WHERE id = $1', [id, name])
  if (steps !== undefined) {
    if (before.launchedAt) {
      refuseRenumbering(before.steps, steps)
      Object.assign(changes, compare(before.steps, steps))
    } else {
      await tx.query('DELETE FROM sequence_steps WHERE sequence_id = $1 AND step_number > $2', [id, steps.length])
    }
    await writeSteps(tx, id, steps)
    await tx.query('UPDATE sequences SET updated_at = app_now() WHERE id = $1', [id])
  }
  const sequence = await loadSequence(tx, workspaceId, id)
  if (before.launchedAt && sequence.problems.length > 0)
    throw new PublicError(
      409,
      'sequence-in-use',
      'The sequence has been launched, so what is saved is sent; mend the texts first.',
      { problems: sequence.problems },
    )
  return { sequence, changes }
}

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

function compare(before: readonly WrittenStep[], steps: readonly StepInput[]): StepChanges {
  const kept = before.flatMap((old, index) => {
    const step = steps[index]
    return step ? [{ old, step }] : []
  })
  const numbers = (differs: (pair: (typeof kept)[number]) => boolean) =>
    kept.filter(differs).map(({ old }) => old.stepNumber)
  return {
    texts: numbers(
      ({ old, step }) =>
        old.subject !== step.subject || old.bodyText !== step.bodyText || old.bodyHtml !== step.bodyHtml,
    ),
    delays: numbers(({ old, step }) => old.delayDays !== step.delayDays),
    appended: steps.slice(before.length).map((_, index) => before.length + index + 1),
  }
}

async function writeSteps(tx: Sql, sequenceId: string, steps: readonly StepInput[]): Promise<void> {
  await tx.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, subject, body_text, body_html, created_at, updated_at)
     SELECT s.id, $1, s.number, s.delay_days, s.subject, s.body_text, s.body_html, app_now(), app_now()
     FROM unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
       AS s(id, delay_days, subject, body_text, body_html, number)
     ON CONFLICT (sequence_id, step_number) DO UPDATE SET delay_days = excluded.delay_days, subject = excluded.subject,
       body_text = excluded.body_text, body_html = excluded.body_html, updated_at = app_now()`,
    [
      sequenceId,
      steps.map(newId),
      steps.map(({ delayDays }) => delayDays),
      steps.map(({ subject }) => subject),
      steps.map(({ bodyText }) => bodyText),
      steps.map(({ bodyHtml }) => bodyHtml),
    ],
  )
}

/** With the sequence locked: from here on its steps keep their numbers. */
export async function markLaunched(tx: Sql, sequenceId: string): Promise<void> {
  await tx.query('UPDATE sequences SET launched_at = coalesce(launched_at, app_now()) WHERE id = $1', [sequenceId])
}

/** Leaves the lists. Whether a campaign is still on it is asked of the caller's function: campaigns come after sequences. */
export async function archiveSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  isInUse: (tx: Sql, sequenceId: string) => Promise<boolean>,
): Promise<void> {
  const { name } = await lockSequence(tx, workspaceId, id)
  if (await isInUse(tx, id))
    throw new PublicError(
      409,
      'sequence-in-use',
      'A campaign that is not over uses the sequence; stop or archive it first.',
    )
  await tx.query('UPDATE sequences SET archived_at = app_now(), updated_at = app_now() WHERE id = $1', [id])
  await recordAudit(tx, workspaceId, { action: 'sequence.archived', actor, target: { kind: 'sequence', id, name } })
}
