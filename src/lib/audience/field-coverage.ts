import type { Sql } from '#lib/platform/database.ts'
import { matching } from './prospect-filter.ts'

export type FieldCoverage = {
  /** Those who can get campaign email now. */
  people: number
  /** `lacking`: how many of them have nothing there. */
  fields: { field: string; lacking: number }[]
}

const CUSTOM_FIELDS_MAX = 200

/** What a text can name, and how many people lack it: each of the fixed fields, and every own field that anybody has. */
export async function readFieldCoverage(sql: Sql, workspaceId: string): Promise<FieldCoverage> {
  const { where, values } = matching(workspaceId, { state: 'active' })
  const { rows } = await sql.query<{ people: number; firstName: number; lastName: number; company: number }>(
    `SELECT count(*)::int AS people, ${lacking('first_name')} AS "firstName", ${lacking('last_name')} AS "lastName",
       ${lacking('company')} AS company
     FROM prospects p WHERE ${where}`,
    values,
  )
  const { people, ...fixed } = rows[0] ?? { people: 0, firstName: 0, lastName: 0, company: 0 }
  const { where: again, values: others, add } = matching(workspaceId, { state: 'active' })
  const { rows: custom } = await sql.query<{ field: string; lacking: number }>(
    `SELECT 'custom.' || own.key AS field, ${add(people)}::int - count(*) FILTER (WHERE btrim(own.value) <> '')::int AS lacking
     FROM prospects p CROSS JOIN LATERAL jsonb_each_text(p.custom_fields) own WHERE ${again}
     GROUP BY own.key ORDER BY lacking, own.key LIMIT ${CUSTOM_FIELDS_MAX}`,
    others,
  )
  const ofFixed = Object.entries({ ...fixed, email: 0 }).map(([field, count]) => ({ field, lacking: count }))
  return { people, fields: [...ofFixed, ...custom] }
}

const lacking = (column: string) => `count(*) FILTER (WHERE btrim(coalesce(p.${column}, '')) = '')::int`
