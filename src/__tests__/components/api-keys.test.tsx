// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { KeysTable } from '#components/api-keys/keys-table.tsx'
import { MakeKey } from '#components/api-keys/make-key.tsx'
import type { ApiKey } from '#components/api-keys/use-api-keys.ts'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION: SessionView = {
  person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}

const AtWork = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={new QueryClient()}>
    <SessionProvider session={SESSION}>{children}</SessionProvider>
  </QueryClientProvider>
)

/** Answers every request, and writes down what was asked. */
function serverSays(data: unknown): { method: string; url: string; body: unknown }[] {
  const asked: { method: string; url: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    asked.push({ method, url: String(url), body: typeof body === 'string' ? JSON.parse(body) : undefined })
    return Response.json({ success: true, data })
  })
  return asked
}

const KEY: ApiKey = {
  id: 'k',
  name: 'Booking site',
  hint: 'sendonce_ab12',
  scopes: ['send'],
  makerName: 'Olga',
  hasMakerLeft: false,
  createdAt: '2026-11-19T09:00:00.000Z',
  expiresAt: null,
  isExpired: false,
  revokedAt: null,
  lastUsedAt: null,
}

describe('the keys of a workspace', () => {
  const show = (apiKey: Partial<ApiKey>) =>
    render(
      <AtWork>
        <KeysTable apiKeys={[{ ...KEY, ...apiKey }]} isLoading={false} empty={null} />
      </AtWork>,
    )

  test('say of each whether it works, and who may still know it', () => {
    show({ hasMakerLeft: true })
    expect(screen.getByText('Works')).toBeTruthy()
    expect(screen.getByText('Has left. They may still know the key.')).toBeTruthy()
    cleanup()
    show({ isExpired: true })
    expect(screen.getByText('Expired')).toBeTruthy()
    cleanup()
    show({ revokedAt: KEY.createdAt, hasMakerLeft: true })
    expect(screen.getByText('Revoked')).toBeTruthy()
    expect(screen.queryByText(/Has left/)).toBeNull()
    expect(screen.queryByRole('button', { name: /Actions/ })).toBeNull()
  })

  test('are revoked once that was asked', async () => {
    const asked = serverSays({ done: true })
    show({})
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Booking site' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Revoke…' }))
    expect(asked).toEqual([])
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke the key' }))
    await waitFor(() => expect(asked[0]).toMatchObject({ method: 'DELETE', url: '/api/api-keys/k' }))
  })
})

describe('a new key', () => {
  test('gets the scopes that are ticked, and is shown once', async () => {
    const asked = serverSays({ key: 'sendonce_secret', apiKey: KEY })
    const onClose = vi.fn()
    render(
      <AtWork>
        <MakeKey onClose={onClose} />
      </AtWork>,
    )
    await userEvent.type(screen.getByLabelText('Name'), 'Booking site')
    await userEvent.click(screen.getByRole('checkbox', { name: /Read\./ }))
    await userEvent.click(screen.getByRole('button', { name: 'Make the key' }))
    expect(await screen.findByText('sendonce_secret')).toBeTruthy()
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/api/api-keys',
      body: { name: 'Booking site', scopes: ['read', 'send'], validDays: 365 },
    })
    expect(screen.getByRole('dialog', { name: 'The key for Booking site' })).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'I have copied it' }))
    expect(onClose).toHaveBeenCalled()
  })
})
