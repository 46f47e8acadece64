import { Callout } from '#components/ui/callout.tsx'

/** What is wrong with a whole form. The place is always there, so that a screen reader hears what is put into it; empty, it takes no room in a column. */
export function FormError({ message, className }: { message?: string | null; className?: string }) {
  return (
    <div role="alert" className={message ? className : 'absolute'}>
      {message && <Callout tone="danger">{message}</Callout>}
    </div>
  )
}
