import { Callout } from '../ui/callout.tsx'

interface DemoOfferProps {
  demo: { url: string; email: string; password: string; isHere: boolean }
}

/** In the demo, its login: it is served to this machine alone. Beside it, the way there. */
export function DemoOffer({ demo: { url, email, password, isHere } }: DemoOfferProps) {
  if (!isHere)
    return (
      <Callout className="mb-4">
        To look around first,{' '}
        <a href={url} className="font-medium text-accent-text underline underline-offset-4">
          open the demo workspace
        </a>
        . Nothing in it is real.
      </Callout>
    )
  return (
    <Callout className="mb-4" title="This is the demo">
      Sign in as <code className="font-mono text-[0.8125rem]">{email}</code> with the password{' '}
      <code className="font-mono text-[0.8125rem]">{password}</code>. Adam (adam@demo.example, an admin) and Mia
      (mia@demo.example, a member) have the same.
    </Callout>
  )
}
