import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { inlineStyles } from '#lib/sequences/inline-styles.ts'
import { type StepTexts, TEXTS_OF_A_STEP } from '#lib/sequences/merge-fields.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { type EmailTemplate, examined, loadTemplate, type TemplateSummary, WRITTEN } from './templates.ts'

export type TemplateInput = { name: string } & StepTexts

export async function createTemplate(
  tx: Sql,
  workspaceId: string,
  { name, subject, bodyText, bodyHtml }: TemplateInput,
  actor: Actor,
): Promise<EmailTemplate> {
  const { rows } = await tx.query<TemplateSummary & StepTexts>(
    `INSERT INTO email_templates (id, workspace_id, name, subject, body_text, body_html, inlined_html, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, app_now(), app_now())
     ON CONFLICT (workspace_id, lower(name)) WHERE archived_at IS NULL DO NOTHING RETURNING ${WRITTEN}`,
    [newId(), workspaceId, name, subject, bodyText, bodyHtml, inlineStyles(bodyHtml)],
  )
  const [made] = rows
  if (!made) throw nameTaken()
  await recordAudit(tx, workspaceId, { action: 'template.created', actor, target: targetOf(made) })
  return examined(made)
}

type TemplateChange = { [Field in keyof TemplateInput]?: TemplateInput[Field] | undefined } & {
  archived?: boolean | undefined
}

/** Renames, writes anew, archives, or takes out of the archive. What was asked for before goes out as it was then. */
export async function changeTemplate(
  tx: Sql,
  workspaceId: string,
  id: string,
  change: TemplateChange,
  actor: Actor,
  expected?: Expected,
): Promise<EmailTemplate> {
  await tx.query('SELECT FROM email_templates WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE', [workspaceId, id])
  const current = await loadTemplate(tx, workspaceId, id)
  if (change.archived === undefined) refuseArchived('template', current)
  refuseStale(expected, current.version)
  const wanted = { ...current, ...definedIn(change) }
  const archived = change.archived ?? current.archivedAt !== null
  const isMoved = archived !== (current.archivedAt !== null)
  const isWritten = (['name', ...TEXTS_OF_A_STEP] as const).some((field) => wanted[field] !== current[field])
  if (!isMoved && !isWritten) return current
  const { rows } = await tx
    .query<TemplateSummary & StepTexts>(
      `UPDATE email_templates SET name = $3, subject = $4, body_text = $5, body_html = $6, inlined_html = $7, updated_at = app_now(),
         archived_at = CASE WHEN $8 THEN coalesce(archived_at, app_now()) END
       WHERE workspace_id = $1 AND id = $2 RETURNING ${WRITTEN}`,
      [
        workspaceId,
        id,
        wanted.name,
        wanted.subject,
        wanted.bodyText,
        wanted.bodyHtml,
        inlineStyles(wanted.bodyHtml),
        archived,
      ],
    )
    .catch((error: unknown) => {
      throw error instanceof Error && 'constraint' in error && error.constraint === 'email_templates_name_key'
        ? nameTaken()
        : error
    })
  const [changed] = rows
  if (!changed) throw notFound()
  const target = targetOf(changed)
  if (isMoved)
    await recordAudit(tx, workspaceId, { action: archived ? 'template.archived' : 'template.restored', actor, target })
  if (isWritten) await recordAudit(tx, workspaceId, { action: 'template.changed', actor, target })
  return examined(changed)
}

function definedIn({ archived: _, ...change }: TemplateChange): Partial<TemplateInput> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

const targetOf = ({ id, name }: TemplateSummary) => ({ kind: 'template', id, name })

const nameTaken = () => new PublicError(409, 'name-taken', 'There is a template of this name already. Choose another.')
