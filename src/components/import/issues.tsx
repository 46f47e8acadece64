'use client'

import { CircleCheck } from 'lucide-react'
import { EmptyState } from '../ui/empty-state.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { ISSUE_KINDS, type Issue, type IssueKind } from './use-report.ts'

const WORD = Object.fromEntries(ISSUE_KINDS.map(({ value, label }) => [value, label])) as Record<IssueKind, string>

const COLUMNS: Column<Issue>[] = [
  {
    ...{ key: 'line', label: 'Line', isRowHeader: true, isNarrow: true },
    // As the head of a card the number alone would say nothing.
    cell: ({ line }) => (
      <span className="tabular-nums">
        <span className="sm:hidden">Line </span>
        {line.toLocaleString('en')}
      </span>
    ),
  },
  { key: 'kind', label: 'What', isNarrow: true, cell: ({ kind }) => WORD[kind] },
  { key: 'reason', label: 'Why', cell: ({ reason }) => <span className="break-words">{reason}</span> },
]

/** The lines that added and changed nobody, with the reason of each. */
export function Issues({ issues, nextCursor }: { issues: readonly Issue[]; nextCursor: number | null }) {
  return (
    <section className="mt-6">
      <h2 className="mb-2.5 font-semibold text-sm">Lines that added or changed nobody</h2>
      <FilterBar filters={[{ param: 'kind', label: 'Kind', options: ISSUE_KINDS }]} />
      <Table
        caption="Lines that added or changed nobody"
        columns={COLUMNS}
        rows={issues}
        rowKey={({ line }) => String(line)}
        empty={
          <EmptyState
            icon={<CircleCheck />}
            title="No such line"
            sentence="Every line of this kind, with the reason, would stand here."
          />
        }
      />
      <Pagination nextCursor={nextCursor === null ? null : String(nextCursor)} />
    </section>
  )
}
