import { Clock, Mail } from 'lucide-react'
import { useSession } from '#components/session/session-context.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { DateTime } from '#components/ui/date-time.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { NODE_ICONS } from './add-menu.tsx'

export type PersonPath = Received<'POST /api/sequences/[id]/path'>
type Item = PersonPath['items'][number]

const STANDINGS: Record<Item['standing'], { word: string; tone: 'success' | 'accent' | 'neutral' }> = {
  happened: { word: 'Happened', tone: 'success' },
  planned: { word: 'Certain', tone: 'accent' },
  forecast: { word: 'Forecast', tone: 'neutral' },
}

/** Until when a branch waits is certain, and not which side is taken. */
const wordOf = ({ type, standing }: Item) =>
  type === 'branch' && standing === 'planned' ? 'Decided by' : STANDINGS[standing].word

/** One person's way, one thing below the other, each with its time and how sure that is. */
export function PathList({ path }: { path: PersonPath }) {
  const { workspace } = useSession()
  return (
    <div className="flex flex-col gap-3 text-sm">
      <ol className="flex flex-col gap-2.5">
        {path.items.map((item) => (
          <li
            key={`${item.nodeId}-${item.standing}`}
            aria-current={item.nodeId === path.standsAt ? 'step' : undefined}
            className="flex gap-2.5"
          >
            <IconOf item={item} />
            <div className="min-w-0 flex-1">
              <p className="wrap-anywhere">
                {item.sentence}
                {item.side && (
                  <span className="text-muted">
                    {' '}
                    {item.standing === 'happened' ? 'Taken' : 'Assumed'}: {item.side}.
                  </span>
                )}
                {item.nodeId === path.standsAt && <span className="font-medium"> (stands here)</span>}
              </p>
              <p className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-muted">
                <Badge tone={STANDINGS[item.standing].tone}>{wordOf(item)}</Badge>
                {item.at && <DateTime instant={item.at} timeZone={workspace.timeZone} />}
              </p>
            </div>
          </li>
        ))}
      </ol>
      {path.left && <p className="wrap-anywhere">{path.left}</p>}
      {path.notes.length > 0 && (
        <ul className="flex flex-col gap-1 text-[0.8125rem] text-muted">
          {path.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function IconOf({ item }: { item: Item }) {
  const Icon = item.type === 'email' ? Mail : (NODE_ICONS[item.type] ?? Clock)
  return <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
}
