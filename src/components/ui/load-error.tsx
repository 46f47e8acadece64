import { Button } from '#components/ui/control/button.tsx'
import { ApiError, messageOf } from '../api-client.ts'
import { Callout } from './callout.tsx'

interface LoadErrorProps {
  /** What is missing because of it: "The members could not be loaded." */
  title: string
  error: unknown
  onRetry: () => void
  isRetrying: boolean
}

/** What is not there comes by no other try. */
const isGone = (error: unknown) => error instanceof ApiError && error.status === 404

/** In the place of what could not be read. */
export function LoadError({ title, error, onRetry, isRetrying }: LoadErrorProps) {
  return (
    <div role="alert">
      <Callout
        tone="danger"
        title={title}
        actions={
          !isGone(error) && (
            <Button onClick={onRetry} isLoading={isRetrying}>
              Try again
            </Button>
          )
        }
      >
        {messageOf(error)}
      </Callout>
    </div>
  )
}
