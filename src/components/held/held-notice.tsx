import Link from 'next/link'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { Callout } from '../ui/callout.tsx'
import { HELD_PAGE } from './use-held.ts'

/** Above every page but the one that says all of it. */
export function HeldNotice() {
  return (
    <Callout
      tone="danger"
      title="All sending is held"
      actions={
        <Link href={HELD_PAGE} prefetch={false} className={buttonStyle({ size: 'sm' })}>
          See why
        </Link>
      }
    >
      The database may have forgotten emails that were sent. Nothing goes out until an owner lets it.
    </Callout>
  )
}
