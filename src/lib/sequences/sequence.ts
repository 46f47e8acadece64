import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { compileHtml } from './compile-html.ts'
import { fieldsNeeded, parseTemplate, type StepTexts, TEXTS_OF_A_STEP, type TemplateError } from './merge-fields.ts'
import { readWrittenSteps, type WrittenStep } from './steps.ts'

export type Sequence = {
  id: string
  name: string
  launchedAt: Date | null
  archivedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** What is wrong with one text of one step. */
export type StepProblem = TemplateError & { stepNumber: number; text: keyof StepTexts }

export type SequenceWithSteps = Sequence & { steps: WrittenStep[]; fieldsNeeded: string[]; problems: StepProblem[] }

const COLUMNS = `id, name, launched_at AS "launchedAt", archived_at AS "archivedAt", created_at AS "createdAt", updated_at AS "updatedAt"`

export async function loadSequence(sql: Sql, workspaceId: string, id: string): Promise<SequenceWithSteps> {
  const { rows } = await sql.query<Sequence>(
    `SELECT ${COLUMNS} FROM sequences WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL`,
    [workspaceId, id],
  )
  return withSteps(sql, rows[0])
}

/** The same, and nobody else changes or launches it until the transaction ends. The first lock that is taken. */
export async function lockSequence(tx: Sql, workspaceId: string, id: string): Promise<SequenceWithSteps> {
  const { rows } = await tx.query<Sequence>(
    `SELECT ${COLUMNS} FROM sequences WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL FOR NO KEY UPDATE`,
    [workspaceId, id],
  )
  return withSteps(tx, rows[0])
}

async function withSteps(sql: Sql, sequence: Sequence | undefined): Promise<SequenceWithSteps> {
  if (!sequence) throw notFound()
  const steps = await readWrittenSteps(sql, sequence.id)
  return { ...sequence, steps, fieldsNeeded: fieldsNeeded(steps), problems: problemsOf(steps) }
}

/** All that keeps these steps from being launched. A draft may hold it; a launch may not. */
export function problemsOf(steps: readonly WrittenStep[]): StepProblem[] {
  return steps.flatMap((step) => {
    const { stepNumber } = step
    const ofTemplates = TEXTS_OF_A_STEP.flatMap((text) =>
      errorsIn(text, step[text]).map((error) => ({ ...error, stepNumber, text })),
    )
    const start = { at: 0, line: 1, column: 1, stepNumber }
    const empty: StepProblem[] = []
    if (stepNumber === steps[0]?.stepNumber && step.subject.trim() === '')
      empty.push({ ...start, text: 'subject', sentence: 'The first email has no subject.' })
    if (step.bodyText.trim() === '' && step.bodyHtml.trim() === '')
      empty.push({ ...start, text: 'bodyText', sentence: 'The email has no text.' })
    return [...empty, ...ofTemplates]
  })
}

function errorsIn(text: keyof StepTexts, template: string): TemplateError[] {
  if (text !== 'bodyHtml') return parseTemplate(template).errors
  const compiled = compileHtml(template)
  return compiled.ok ? [] : compiled.errors
}

export type SequencePage = { sequences: (Sequence & { steps: number })[]; nextCursor: string | null }

/** Newest first. */
export async function listSequences(
  sql: Sql,
  workspaceId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<SequencePage> {
  const { rows } = await sql.query<Sequence & { steps: number }>(
    `SELECT ${COLUMNS}, (SELECT count(*)::int FROM sequence_steps s WHERE s.sequence_id = sequences.id) AS steps
     FROM sequences WHERE workspace_id = $1 AND archived_at IS NULL AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [workspaceId, cursor ?? null, limit + 1],
  )
  const sequences = rows.slice(0, limit)
  return { sequences, nextCursor: rows.length > limit ? (sequences.at(-1)?.id ?? null) : null }
}
