import type { Sql } from '#lib/platform/database.ts'

export type SequenceStep = { stepNumber: number; delayDays: number }

/** The steps of a sequence in their order, without their texts. */
export async function readSteps(sql: Sql, sequenceId: string): Promise<SequenceStep[]> {
  const { rows } = await sql.query<SequenceStep>(
    `SELECT step_number AS "stepNumber", delay_days AS "delayDays" FROM sequence_steps
     WHERE sequence_id = $1 ORDER BY step_number`,
    [sequenceId],
  )
  return rows
}
