'use client'

import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { type Column, Table } from '../ui/table.tsx'
import type { Report } from './import-form.ts'
import { useImports } from './use-report.ts'

/** What was imported lately, by whomever. */
export function RecentImports() {
  const { workspace } = useSession()
  const { data } = useImports()
  if (!data || data.imports.length === 0) return null
  const number = (
    key: 'created' | 'updated' | 'rejected',
    label: string,
    hrefOf: (id: string) => string,
  ): Column<Report> => ({
    ...{ key, label, isNarrow: true, align: 'end' },
    cell: (report) =>
      report[key] === 0 ? (
        <span className="text-muted">0</span>
      ) : (
        <IntentLink href={hrefOf(report.id)} className="text-accent-text underline-offset-2 hover:underline">
          {report[key].toLocaleString('en')}
        </IntentLink>
      ),
  })
  const people = (outcome: string) => (id: string) => `/prospects?import=${id}&outcome=${outcome}`
  const columns: Column<Report>[] = [
    {
      ...{ key: 'file', label: 'File', isRowHeader: true },
      cell: ({ id, fileName }) => (
        <IntentLink href={`/prospects/import?job=${id}`} className="break-words hover:underline">
          {fileName ?? 'A file without a name'}
        </IntentLink>
      ),
    },
    {
      ...{ key: 'when', label: 'When', isNarrow: true },
      cell: ({ finishedAt, createdAt }) =>
        finishedAt ? <DateTime instant={createdAt} timeZone={workspace.timeZone} /> : 'Not finished',
    },
    number('created', 'Created', people('created')),
    number('updated', 'Updated', people('updated')),
    number('rejected', 'Rejected', (id) => `/prospects/import?job=${id}&kind=rejected`),
  ]
  return (
    <section className="mt-8">
      <h2 className="mb-2.5 font-semibold text-sm">Imports before this one</h2>
      <Table caption="Imports" columns={columns} rows={data.imports} rowKey={({ id }) => id} />
    </section>
  )
}
