import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep, type MergeValues, type Rendered, renderStep, type StepRendering } from '#lib/sequences/render.ts'

/** What a program asks for: a text by its name, and what its fields say. */
export type TemplateWish = { name: string; fields: Readonly<Record<string, string>> }

/** As it is sent: with its styles at the tags that they meet. */
type Texts = StepTexts

/** By the names that were asked for, in whatever case they were written. */
export async function readTemplates(
  sql: Sql,
  workspaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Texts>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql.query<Texts & { wanted: string }>(
    `SELECT wanted, subject, body_text AS "bodyText", coalesce(inlined_html, body_html) AS "bodyHtml"
     FROM unnest($2::text[]) AS wanted JOIN email_templates ON workspace_id = $1 AND archived_at IS NULL AND lower(name) = lower(wanted)`,
    [workspaceId, [...new Set(names)]],
  )
  return new Map(rows.map(({ wanted, ...texts }) => [wanted, texts]))
}

export type Correspondents = { to: string; sender: { name: string; address: string } }

/** What the email itself knows; the rest is for the caller to say. */
export function valuesFor(fields: Readonly<Record<string, string>>, { to, sender }: Correspondents): MergeValues {
  return new Map([
    ...Object.entries(fields),
    ['email', to],
    ['senderName', sender.name.trim() || sender.address],
    ['senderAddress', sender.address],
  ])
}

/** One email out of a template, or why there is none. Nothing stands below it: it is no campaign's. */
export function renderTemplate(texts: Texts, values: MergeValues): StepRendering {
  const step = compileStep(texts)
  if (!step.ok) return { kind: 'unrenderable', reason: step.errors.map(({ sentence }) => sentence).join(' ') }
  const rendering = renderStep(step.step, values, null)
  if (rendering.kind !== 'content') return rendering
  if (rendering.subject === '') return { kind: 'unrenderable', reason: 'The email has no subject.' }
  if (rendering.text.trim() === '' && rendering.html === '')
    return { kind: 'unrenderable', reason: 'The email has no text.' }
  return rendering
}

/** The same for a call: what is refused is refused in words that its caller can act on. */
export function writeTemplate(
  templates: ReadonlyMap<string, Texts>,
  { name, fields }: TemplateWish,
  correspondents: Correspondents,
): Rendered | PublicError {
  const texts = templates.get(name)
  if (!texts) return unknownTemplate(name)
  const rendering = renderTemplate(texts, valuesFor(fields, correspondents))
  if (rendering.kind === 'missing-fields') return missingFields(name, rendering.missing)
  if (rendering.kind === 'unrenderable') return cannotBeWritten(name, rendering.reason)
  return rendering
}

const unknownTemplate = (name: string) =>
  new PublicError(400, 'unknown-template', `The workspace has no template “${name}”. Look under Settings, Templates.`)

const missingFields = (name: string, missing: readonly string[]) =>
  new PublicError(
    400,
    'missing-fields',
    `The template “${name}” needs ${missing.join(', ')}; give each in template.fields, or give the text a fallback.`,
    { missing },
  )

const cannotBeWritten = (name: string, reason: string) =>
  new PublicError(409, 'unrenderable', `The template “${name}” cannot be sent like this. ${reason}`)
