// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { PreviewPane } from '#components/sequences/preview/preview-pane.tsx'
import type { Preview } from '#components/sequences/preview/use-preview.ts'
import { SessionProvider } from '#components/session/session-context.tsx'

vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: vi.fn(), replace: vi.fn(), prefetch: vi.fn() }),
  usePathname: () => '/sequences/s',
  useSearchParams: () => new URLSearchParams(),
}))

afterEach(cleanup)

const PREVIEW: Preview = {
  ...{ kind: 'content', subject: 'Hello', text: 'Hello', html: '', raw: 'Hello' },
  ...{ from: { name: '', address: 'ann@acme.test' }, to: { name: '', address: 'ada@example.com' } },
  notes: ['The workspace has no postal address yet; without one, no campaign can be launched.'],
  lacks: ['mailbox', 'postal-address'],
}

function show(role: 'admin' | 'member', preview: Preview) {
  const workspace = { id: 'w', name: 'Acme', timeZone: 'UTC', role } as const
  const person = { id: 'p', name: 'Olga', email: 'olga@example.com' }
  render(
    <SessionProvider session={{ person, workspaces: [workspace], workspace }}>
      <PreviewPane
        title="Preview"
        whose={null}
        preview={{ data: preview, error: null, isPlaceholderData: false }}
        isUnwritten={false}
        view="mail"
        onView={() => undefined}
        isPhone={false}
        onPhone={() => undefined}
      />
    </SessionProvider>,
  )
}

test('what a preview fills with a placeholder has its way to where it is set up, for those who may', () => {
  show('admin', PREVIEW)
  expect(screen.getByRole('link', { name: 'Enter the postal address' }).getAttribute('href')).toBe(
    '/settings/sending#postal-address',
  )
  expect(screen.getByRole('link', { name: 'Add a mailbox' }).getAttribute('href')).toBe('/mailboxes?do=add')
  cleanup()
  show('member', PREVIEW)
  screen.getByText(/no postal address yet/)
  expect(screen.queryByRole('link')).toBeNull()
  cleanup()
  show('admin', { ...PREVIEW, notes: [], lacks: [] })
  expect(screen.queryByRole('link')).toBeNull()
})
