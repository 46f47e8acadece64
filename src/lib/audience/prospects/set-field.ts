import { rememberFields } from '#lib/audience/custom-field-names.ts'
import { CUSTOM_FIELDS_MAX, type CustomValue } from '#lib/audience/fields.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

const COLUMNS: Readonly<Record<string, string>> = { firstName: 'first_name', lastName: 'last_name', company: 'company' }

/**
 * Writes one field of many people, who are locked, as a merge field names it; null empties it. Who has as many custom fields
 * as they can have keeps them as they are. Answers who has it now.
 */
export async function setField(
  tx: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
  field: string,
  value: CustomValue | null,
): Promise<Set<string>> {
  const column = COLUMNS[field]
  const name = field.slice('custom.'.length)
  const { rows } = column
    ? await tx.query<{ id: string }>(
        `UPDATE prospects SET ${column} = $3, updated_at = app_now()
         WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND erased_at IS NULL AND merged_into_id IS NULL RETURNING id`,
        [workspaceId, plainArray(prospectIds), value === null || value === '' ? null : String(value)],
      )
    : await tx.query<{ id: string }>(
        `UPDATE prospects SET updated_at = app_now(),
           custom_fields = CASE WHEN $4::jsonb IS NULL THEN custom_fields - $3 ELSE custom_fields || jsonb_build_object($3::text, $4::jsonb) END
         WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND erased_at IS NULL AND merged_into_id IS NULL
           AND ($4::jsonb IS NULL OR custom_fields ? $3
             OR (SELECT count(*) FROM jsonb_object_keys(custom_fields)) < ${CUSTOM_FIELDS_MAX}) RETURNING id`,
        [workspaceId, plainArray(prospectIds), name, value === null ? null : JSON.stringify(value)],
      )
  if (!column && value !== null && rows.length > 0) await rememberFields(tx, workspaceId, [name])
  return new Set(rows.map(({ id }) => id))
}
