import { Callout } from './callout.tsx'

/** What is wrong with a whole form. The place is always there, so that a screen reader hears what is put into it. */
export function FormError({ message, className }: { message?: string | null; className?: string }) {
  return (
    <div role="alert" className={message ? className : undefined}>
      {message && <Callout tone="danger">{message}</Callout>}
    </div>
  )
}
