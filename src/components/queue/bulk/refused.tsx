'use client'

import { usePathname } from 'next/navigation'
import type { BulkReport } from './use-bulks.ts'

/** Why some are left out: how many for each reason, and the first of them to look at. */
export function Refused({ refused }: { refused: BulkReport['refused'] }) {
  const pathname = usePathname()
  return (
    <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-4 text-[0.8125rem] text-muted">
      {refused.map(({ reason, sentence, count, ids: [first] }) => (
        <li key={reason}>
          {count.toLocaleString('en')}: {sentence}{' '}
          {first && (
            <a href={`${pathname}?email=${first}`} className="text-accent-text underline-offset-2 hover:underline">
              {count === 1 ? 'Look at it' : 'Look at one of them'}
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
