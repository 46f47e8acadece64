import { IntentLink } from '../../shell/intent-link.tsx'
import type { Column } from '../../ui/table.tsx'

interface PlannedEmail {
  prospectId: string
  prospect: string | null
  stepNumber: number
  mailbox: string | null
}

/** What every list of planned emails tells of each, between its time and the reason for it. */
export const PLAN_COLUMNS: readonly Column<PlannedEmail>[] = [
  {
    key: 'to',
    label: 'To',
    isRowHeader: true,
    cell: ({ prospectId, prospect }) => (
      <IntentLink href={`/prospects/${prospectId}`} className="break-all hover:underline">
        {prospect ?? 'An erased person'}
      </IntentLink>
    ),
  },
  { key: 'step', label: 'Step', isNarrow: true, align: 'end', cell: ({ stepNumber }) => stepNumber },
  { key: 'from', label: 'From', cell: ({ mailbox }) => mailbox },
]
