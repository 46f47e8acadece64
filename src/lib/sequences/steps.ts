import type { Sql } from '#lib/platform/database.ts'
import { fieldsNeeded, type StepTexts } from './merge-fields.ts'

export type SequenceStep = { stepNumber: number; delayDays: number }

export type WrittenStep = SequenceStep & StepTexts

/** The steps of a sequence in their order, without their texts. */
export async function readSteps(sql: Sql, sequenceId: string): Promise<SequenceStep[]> {
  const { rows } = await sql.query<SequenceStep>(
    `SELECT step_number AS "stepNumber", delay_days AS "delayDays" FROM sequence_steps
     WHERE sequence_id = $1 ORDER BY step_number`,
    [sequenceId],
  )
  return rows
}

export async function readWrittenSteps(sql: Sql, sequenceId: string): Promise<WrittenStep[]> {
  const { rows } = await sql.query<WrittenStep>(
    `SELECT step_number AS "stepNumber", delay_days AS "delayDays", subject, body_text AS "bodyText", body_html AS "bodyHtml"
     FROM sequence_steps WHERE sequence_id = $1 ORDER BY step_number`,
    [sequenceId],
  )
  return rows
}

/** What a prospect must have to be taken through the sequence. */
export async function readFieldsNeeded(sql: Sql, sequenceId: string): Promise<string[]> {
  return fieldsNeeded(await readWrittenSteps(sql, sequenceId))
}
