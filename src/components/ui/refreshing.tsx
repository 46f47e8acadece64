import clsx from 'clsx'
import type { ReactNode, Ref } from 'react'

type Props = { isStale: boolean; className?: string; ref?: Ref<HTMLDivElement>; children: ReactNode }

/**
 * What stands here belongs to the last question, and the answer to the new one is on its way. A line above says so; the
 * text keeps its colour, since faded text would fall below the contrast that reading needs.
 */
export function Refreshing({ isStale, className, ref, children }: Props) {
  return (
    <div ref={ref} aria-busy={isStale} className={clsx('relative', className)}>
      {isStale && (
        <span
          aria-hidden
          className="absolute inset-x-0 -top-1 h-0.5 animate-pulse-calm rounded-full bg-accent motion-reduce:animate-none"
        />
      )}
      {children}
    </div>
  )
}
