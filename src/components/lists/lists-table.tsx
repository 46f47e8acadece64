'use client'

import { Archive, List as ListIcon, PencilLine, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api, messageOf } from '../api-client.ts'
import { LiveTable } from '../live/live-table.tsx'
import { NameDialog } from '../prospects/name-dialog.tsx'
import { type List, useLists } from '../prospects/use-audience.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { actionsColumn, type Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { useRefreshLists } from './use-refresh-lists.ts'

/** By name as people count: List 2 before List 10. */
const BY_NAME = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const inOrder = (lists: readonly List[]) => lists.toSorted((one, other) => BY_NAME.compare(one.name, other.name))

export function ListsTable({ makeButton }: { makeButton: ReactNode }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const isArchived = params.get('show') === 'archived'
  const query = useLists(isArchived)
  const { data } = query
  const refresh = useRefreshLists()
  const [renaming, setRenaming] = useState<List | null>(null)

  async function change(id: string, body: { name?: string; archived?: boolean }) {
    await api('PATCH /api/lists/[id]', { params: { id }, body, workspaceId: workspace.id })
    await refresh()
  }

  async function archive({ id, name }: List, archived: boolean) {
    try {
      await change(id, { archived })
    } catch (problem) {
      toast.error(messageOf(problem))
      return
    }
    toastWithUndo(
      archived ? `“${name}” is archived. The people in it stay as they are.` : `“${name}” is back.`,
      async () => {
        await change(id, { archived: !archived })
        return archived ? `“${name}” is back.` : `“${name}” is archived again.`
      },
    )
  }

  const columns: Column<List>[] = [
    {
      key: 'name',
      label: 'List',
      isRowHeader: true,
      cell: ({ id, name }) => (
        <IntentLink href={`/prospects?list=${id}`} className="break-words hover:underline">
          {name}
        </IntentLink>
      ),
    },
    {
      key: 'members',
      label: 'People',
      isNarrow: true,
      align: 'end',
      cell: ({ id, members }) => (
        <IntentLink href={`/prospects?list=${id}`} className="tabular-nums text-accent-text hover:underline">
          {members.toLocaleString('en')}
        </IntentLink>
      ),
    },
    {
      key: 'made',
      label: 'Made',
      isNarrow: true,
      cell: ({ createdAt }) => <DateTime instant={createdAt} timeZone={workspace.timeZone} style="date" />,
    },
    actionsColumn((list) => (
      <RowMenu label={`Actions for ${list.name}`}>
        <MenuItem icon={<PencilLine aria-hidden />} onSelect={() => setRenaming(list)}>
          Rename…
        </MenuItem>
        {isArchived ? (
          <MenuItem icon={<Undo2 aria-hidden />} onSelect={() => void archive(list, false)}>
            Bring back
          </MenuItem>
        ) : (
          <MenuItem icon={<Archive aria-hidden />} onSelect={() => void archive(list, true)}>
            Archive
          </MenuItem>
        )}
      </RowMenu>
    )),
  ]

  return (
    <>
      <LiveTable
        query={query}
        caption="Lists"
        columns={columns}
        rows={inOrder(data?.lists ?? [])}
        rowKey={({ id }) => id}
        empty={
          isArchived ? (
            <EmptyState
              icon={<ListIcon />}
              title="Nothing is archived"
              sentence="Lists that are not needed any more come here, and can be brought back."
              action={
                <IntentLink href={hrefWith({ show: null })} className={buttonStyle()}>
                  Show the lists in use
                </IntentLink>
              }
            />
          ) : (
            <EmptyState
              icon={<ListIcon />}
              title="There is no list yet"
              sentence="A list holds people who belong together, so that a campaign can write to all of them: make one here, or while you import."
              action={makeButton}
            />
          )
        }
      />
      <NameDialog
        title="Rename the list"
        name={renaming?.name}
        submitLabel="Rename"
        isOpen={renaming !== null}
        onOpenChange={(isOpen) => !isOpen && setRenaming(null)}
        onName={(name) => (renaming ? change(renaming.id, { name }) : Promise.resolve())}
      />
    </>
  )
}
