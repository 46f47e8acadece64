import clsx from 'clsx'

/** The shape of what is about to come. Give it a size: `className="h-4 w-40"`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={clsx('block animate-pulse-calm rounded-md bg-sunken', className)} />
}

/** For a whole page or panel: says once, aloud, that it is loading. */
export function LoadingNote({ what = 'Loading' }: { what?: string }) {
  return (
    <p role="status" className="sr-only">
      {what}…
    </p>
  )
}
