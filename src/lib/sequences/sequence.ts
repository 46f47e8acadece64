import { setImmediate as nextTurn } from 'node:timers/promises'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { type ArchivedChoice, archivedSql, refuseArchived } from '#lib/platform/rows/archived.ts'
import { compiledHtmlOf } from './compile-html.ts'
import { type GraphProblem, graphProblems } from './graph/graph-problems.ts'
import type { SequenceGraph } from './graph/node-types.ts'
import { PROBLEMS_MAX } from './limits.ts'
import { fieldsNeeded, type StepTexts, TEXTS_OF_A_STEP, templateOf } from './merge-fields.ts'
import { readWrittenSteps, type WrittenStep } from './steps.ts'
import type { TemplateError } from './template.ts'

export type Sequence = {
  id: string
  name: string
  launchedAt: Date | null
  archivedAt: Date | null
  /** Rises with every change of it or of a step. */
  version: number
  /** How its steps hang together, where it branches. */
  graph: SequenceGraph | null
  createdAt: Date
  updatedAt: Date
  /** Who saved what it says now; empty where no person did. */
  savedByEmail: string | null
}

/** What is wrong with one text of an email. */
export type TextProblem = TemplateError & { text: keyof StepTexts }

/** The same, of one step. */
export type StepProblem = TextProblem & { stepNumber: number }

export type SequenceWithSteps = Sequence & {
  steps: WrittenStep[]
  fieldsNeeded: string[]
  problems: StepProblem[]
  graphProblems: GraphProblem[]
}

const COLUMNS = `id, name, launched_at AS "launchedAt", archived_at AS "archivedAt", version, graph, created_at AS "createdAt",
  updated_at AS "updatedAt", (SELECT saved_by_email FROM sequence_versions v
    WHERE v.sequence_id = sequences.id ORDER BY v.version DESC LIMIT 1) AS "savedByEmail"`

/** Archived or not. */
export async function loadSequence(sql: Sql, workspaceId: string, id: string): Promise<SequenceWithSteps> {
  const { rows } = await sql.query<Sequence>(`SELECT ${COLUMNS} FROM sequences WHERE workspace_id = $1 AND id = $2`, [
    workspaceId,
    id,
  ])
  return withSteps(sql, rows[0])
}

/** The same, locked until the transaction ends: no other changes or launches it. This lock is taken first. Not from the archive. */
export async function lockSequence(tx: Sql, workspaceId: string, id: string): Promise<SequenceWithSteps> {
  const sequence = await lockAnySequence(tx, workspaceId, id)
  refuseArchived('sequence', sequence)
  return sequence
}

/** The same, archived or not. */
export async function lockAnySequence(tx: Sql, workspaceId: string, id: string): Promise<SequenceWithSteps> {
  await takeFairLock(tx, 'to change', [id])
  const { rows } = await tx.query<Sequence>(
    `SELECT ${COLUMNS} FROM sequences WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    [workspaceId, id],
  )
  return withSteps(tx, rows[0])
}

async function withSteps(sql: Sql, sequence: Sequence | undefined): Promise<SequenceWithSteps> {
  if (!sequence) throw notFound()
  const steps = await readWrittenSteps(sql, sequence.id)
  const numbers = steps.map(({ stepNumber }) => stepNumber)
  return {
    ...sequence,
    ...{ steps, fieldsNeeded: fieldsNeeded(steps), problems: await problemsOf(steps) },
    graphProblems: sequence.graph ? graphProblems(sequence.graph, numbers) : [],
  }
}

/**
 * What keeps these steps from being launched, the first of it. A draft may hold it; a launch may not. A sequence can be
 * five million characters long: between two steps that are read for the first time, other requests have their turn.
 */
async function problemsOf(steps: readonly WrittenStep[]): Promise<StepProblem[]> {
  const problems: StepProblem[] = []
  for (const step of steps) {
    if (problems.length >= PROBLEMS_MAX) break
    problems.push(...problemsOfStep(step, step.stepNumber === steps[0]?.stepNumber))
    if (step.bodyHtml.length + step.bodyText.length > LONG) await nextTurn()
  }
  return problems.slice(0, PROBLEMS_MAX)
}

const LONG = 50_000

function problemsOfStep(step: WrittenStep, isFirst: boolean): StepProblem[] {
  const { stepNumber } = step
  return problemsOfTexts(step, isFirst ? 'The first email has no subject.' : null).map((problem) => ({
    ...problem,
    stepNumber,
  }))
}

/** `withoutSubject`: what an empty subject is told as, where it is a problem. */
export function problemsOfTexts(texts: StepTexts, withoutSubject: string | null): TextProblem[] {
  const ofTemplates = TEXTS_OF_A_STEP.flatMap((text) =>
    errorsIn(text, texts[text]).map((error) => ({ ...error, text })),
  )
  const start = { at: 0, line: 1, column: 1 }
  const empty: TextProblem[] = []
  if (withoutSubject !== null && texts.subject.trim() === '')
    empty.push({ ...start, text: 'subject', sentence: withoutSubject })
  if (texts.bodyText.trim() === '' && texts.bodyHtml.trim() === '')
    empty.push({ ...start, text: 'bodyText', sentence: 'The email has no text.' })
  return [...empty, ...ofTemplates].slice(0, PROBLEMS_MAX)
}

function errorsIn(text: keyof StepTexts, template: string): readonly TemplateError[] {
  if (text !== 'bodyHtml') return templateOf(template).errors
  const compiled = compiledHtmlOf(template)
  return compiled.ok ? compiled.problems : compiled.errors
}

export type SequencePage = { sequences: (Sequence & { steps: number })[]; nextCursor: string | null }

export type SequenceListAsk = {
  archived: ArchivedChoice
  cursor?: string | undefined
  limit: number
  /** A part of the name. */
  search?: string | undefined
}

/** Newest first. */
export async function listSequences(
  sql: Sql,
  workspaceId: string,
  { archived, cursor, limit, search }: SequenceListAsk,
): Promise<SequencePage> {
  const { rows } = await sql.query<Sequence & { steps: number }>(
    `SELECT ${COLUMNS}, (SELECT count(*)::int FROM sequence_steps s WHERE s.sequence_id = sequences.id) AS steps
     FROM sequences WHERE workspace_id = $1 AND ${archivedSql('archived_at', archived)} AND ($2::uuid IS NULL OR id < $2)
       AND ($4::text IS NULL OR name ILIKE $4)
     ORDER BY id DESC LIMIT $3`,
    [workspaceId, cursor ?? null, limit + 1, search ? `%${search.replaceAll(/[\\%_]/g, '\\$&')}%` : null],
  )
  const sequences = rows.slice(0, limit)
  return { sequences, nextCursor: rows.length > limit ? (sequences.at(-1)?.id ?? null) : null }
}
