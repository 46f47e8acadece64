// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from '#components/api-client.ts'
import { LoadError } from '#components/ui/load-error.tsx'

afterEach(cleanup)

const show = (status: number, message: string) =>
  render(
    <LoadError
      title="This email could not be loaded."
      error={new ApiError({ code: 'some', message, status })}
      onRetry={() => undefined}
      isRetrying={false}
    />,
  )

test('what a server could not give may be tried again, and what is not there may not', () => {
  show(503, 'The database does not answer.')
  screen.getByRole('button', { name: 'Try again' })
  cleanup()
  show(404, 'There is no such email here.')
  screen.getByText('There is no such email here.')
  expect(screen.queryByRole('button')).toBeNull()
})
