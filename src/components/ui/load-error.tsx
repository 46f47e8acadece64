import { Button } from '#components/ui/control/button.tsx'
import { messageOf } from '../api-client.ts'
import { Callout } from './callout.tsx'

interface LoadErrorProps {
  /** What is missing because of it: "The members could not be loaded." */
  title: string
  error: unknown
  onRetry: () => void
  isRetrying: boolean
}

/** In the place of what could not be read. */
export function LoadError({ title, error, onRetry, isRetrying }: LoadErrorProps) {
  return (
    <div role="alert">
      <Callout
        tone="danger"
        title={title}
        actions={
          <Button onClick={onRetry} isLoading={isRetrying}>
            Try again
          </Button>
        }
      >
        {messageOf(error)}
      </Callout>
    </div>
  )
}
