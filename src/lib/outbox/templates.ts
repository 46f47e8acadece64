import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type ArchivedChoice, archivedSql } from '#lib/platform/rows/archived.ts'
import { fieldsNeeded, type StepTexts } from '#lib/sequences/merge-fields.ts'
import { problemsOfTexts, type TextProblem } from '#lib/sequences/sequence.ts'

/** A text that programs send by its name. */
export type TemplateSummary = {
  id: string
  name: string
  subject: string
  archivedAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

export type EmailTemplate = TemplateSummary &
  StepTexts & {
    /** What a call has to give; the recipient's address and the sender are known without. */
    fieldsNeeded: string[]
    /** What keeps it from being sent. */
    problems: TextProblem[]
  }

export const SUMMARY = `id, name, subject, archived_at AS "archivedAt", version, created_at AS "createdAt", updated_at AS "updatedAt"`
export const WRITTEN = `${SUMMARY}, body_text AS "bodyText", body_html AS "bodyHtml"`

/** Archived or not. */
export async function loadTemplate(sql: Sql, workspaceId: string, id: string): Promise<EmailTemplate> {
  const { rows } = await sql.query<TemplateSummary & StepTexts>(
    `SELECT ${WRITTEN} FROM email_templates WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return examined(rows[0])
}

export function examined<T extends StepTexts>(texts: T): T & Pick<EmailTemplate, 'fieldsNeeded' | 'problems'> {
  return {
    ...texts,
    fieldsNeeded: fieldsNeeded([texts]).filter((field) => field !== 'email'),
    problems: problemsOfTexts(texts, 'The email has no subject.'),
  }
}

export type TemplateListAsk = {
  archived: ArchivedChoice
  cursor?: string | undefined
  limit: number
  /** A part of the name. */
  search?: string | undefined
}

/** Newest first. */
export async function listTemplates(
  sql: Sql,
  workspaceId: string,
  { archived, cursor, limit, search }: TemplateListAsk,
): Promise<{ templates: TemplateSummary[]; nextCursor: string | null }> {
  const { rows } = await sql.query<TemplateSummary>(
    `SELECT ${SUMMARY} FROM email_templates
     WHERE workspace_id = $1 AND ${archivedSql('archived_at', archived)} AND ($2::uuid IS NULL OR id < $2)
       AND ($4::text IS NULL OR name ILIKE $4)
     ORDER BY id DESC LIMIT $3`,
    [workspaceId, cursor ?? null, limit + 1, search ? `%${search.replaceAll(/[\\%_]/g, '\\$&')}%` : null],
  )
  const templates = rows.slice(0, limit)
  return { templates, nextCursor: rows.length > limit ? (templates.at(-1)?.id ?? null) : null }
}
