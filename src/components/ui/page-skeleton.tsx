import { LoadingNote, Skeleton } from './skeleton.tsx'

const ROWS = ['one', 'two', 'three', 'four', 'five', 'six']

/** For loading.tsx: the shape of a page with a head and a list. */
export function PageSkeleton() {
  return (
    <div>
      <LoadingNote what="Loading the page" />
      <Skeleton className="h-7 w-52" />
      <Skeleton className="mt-2.5 h-4 w-80 max-w-full" />
      <div className="mt-6 rounded-lg border border-border bg-surface shadow-card">
        {ROWS.map((row) => (
          <div key={row} className="flex h-11 items-center gap-6 border-border border-b px-4 last:border-0">
            <Skeleton className="h-3.5 w-1/3" />
            <Skeleton className="h-3.5 w-20" />
            <Skeleton className="ml-auto h-3.5 w-24" />
          </div>
        ))}
      </div>
    </div>
  )
}
