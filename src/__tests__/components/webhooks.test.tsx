// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'
import { AddWebhook } from '#components/webhooks/add-webhook.tsx'
import { Deliveries } from '#components/webhooks/deliveries.tsx'
import { DeliveryDialog } from '#components/webhooks/delivery-dialog.tsx'
import type { DeliveryDetail, Webhook } from '#components/webhooks/use-webhooks.ts'
import { WebhooksTable } from '#components/webhooks/webhooks-table.tsx'
import { EVENT_NAMES } from '#lib/webhooks/event-types.ts'

vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: vi.fn(), replace: vi.fn(), prefetch: vi.fn() }),
  usePathname: () => '/settings/webhooks',
  useSearchParams: () => new URLSearchParams(),
}))

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

const WEBHOOK: Webhook = {
  id: 'h',
  url: 'https://example.com/hooks/one',
  description: 'Booking site',
  events: ['email.sent'],
  status: 'ENABLED',
  disabledReason: null,
  previousSecretUntil: null,
  heldUntil: null,
  lastAcceptedAt: null,
  failuresInRow: 0,
  waiting: 0,
  failed: 0,
  createdAt: '2026-11-19T09:00:00.000Z',
  version: 1,
}

describe('the webhooks of a workspace', () => {
  const show = (webhook: Partial<Webhook>, mayChange = true) =>
    render(
      <AtWork>
        <WebhooksTable
          webhooks={[{ ...WEBHOOK, ...webhook }]}
          openedId="h"
          isLoading={false}
          mayChange={mayChange}
          empty={null}
        />
      </AtWork>,
    )

  test('say of each how it stands, why, and what to do; every number leads to what it counts', () => {
    show({ status: 'DISABLED', disabledReason: 'The receiver answered 410.', waiting: 1_001, failed: 2 })
    expect(screen.getByText(/answered 410/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Enable' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'more than 1,000 waiting' }).getAttribute('href')).toContain('show=waiting')
    expect(screen.getByRole('link', { name: '2 failed' }).getAttribute('href')).toContain('show=failed')
    cleanup()
    show({ status: 'PAUSED' })
    expect(screen.getByText(/collected, and go out when it is enabled again/)).toBeTruthy()
    cleanup()
    show({ events: [...EVENT_NAMES] })
    expect(screen.getByText(`All ${EVENT_NAMES.length}`)).toBeTruthy()
  })

  test('are seen by members, who have nothing to press', () => {
    show({ status: 'PAUSED' }, false)
    expect(screen.getByText('Paused')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })

  test('are paused and removed at once', async () => {
    const asked = serverSays({ done: true })
    show({})
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Booking site' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Pause' }))
    await waitFor(() => expect(asked[0]).toMatchObject({ method: 'PATCH', body: { status: 'PAUSED' } }))
    await userEvent.click(screen.getByRole('button', { name: 'Actions for Booking site' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ method: 'DELETE', url: '/api/webhooks/h' }))
  })
})

test('one that was told nothing yet offers a test event, and not to members', async () => {
  const asked = serverSays({ deliveries: [], nextCursor: null })
  const show = (mayChange: boolean) =>
    render(
      <AtWork>
        <Deliveries webhook={WEBHOOK} mayChange={mayChange} />
      </AtWork>,
    )
  show(true)
  await userEvent.click(await screen.findByRole('button', { name: 'Send a test event' }))
  await waitFor(() => expect(asked.map(({ url }) => url)).toContain('/api/webhooks/h/test'))
  cleanup()
  show(false)
  await screen.findByText('Nothing was sent yet')
  expect(screen.queryByRole('button', { name: 'Send a test event' })).toBeNull()
})

test('a new webhook is told what is ticked, and its secret is shown once', async () => {
  const asked = serverSays({ secret: 'whsec_shown', webhook: WEBHOOK })
  const onClose = vi.fn()
  render(
    <AtWork>
      <AddWebhook onClose={onClose} />
    </AtWork>,
  )
  await userEvent.type(screen.getByLabelText('Address'), 'https://example.com/hooks/one')
  for (const group of ['Emails', 'People'])
    await userEvent.click(screen.getByRole('button', { name: `None of ${group}` }))
  await userEvent.click(screen.getByRole('checkbox', { name: /email\.sent/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Add the webhook' }))
  expect(await screen.findByText('whsec_shown')).toBeTruthy()
  expect(asked[0]).toMatchObject({
    method: 'POST',
    url: '/api/webhooks',
    body: {
      url: 'https://example.com/hooks/one',
      events: EVENT_NAMES.filter((name) => name === 'email.sent' || name.startsWith('campaign.')),
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'I have copied it' }))
  expect(onClose).toHaveBeenCalledWith('h')
})

describe('a delivery', () => {
  const DELIVERY: DeliveryDetail = {
    id: 'd',
    endpointId: 'h',
    messageId: 'msg_1',
    type: 'email.sent',
    subjectId: 'e',
    happenedAt: '2026-11-19T09:00:00.000Z',
    state: 'FAILED',
    isUnderWay: false,
    attempts: 8,
    dueAt: null,
    lastAttemptAt: '2026-11-20T09:00:00.000Z',
    endedAt: '2026-11-20T09:00:00.000Z',
    answerStatus: 500,
    problem: 'The receiver answered 500.',
    sentence: 'The receiver answered 500.',
    payload: '{"type":"email.sent","data":{}}',
    answerBody: '<b>away</b>',
    durationMs: 1_234,
  }
  const show = (mayChange: boolean) =>
    render(
      <AtWork>
        <DeliveryDialog id="d" mayChange={mayChange} onClose={() => undefined} />
      </AtWork>,
    )

  test('shows what was sent and what came back, as text, and goes again', async () => {
    const asked = serverSays(DELIVERY)
    show(true)
    expect(await screen.findByText('<b>away</b>')).toBeTruthy()
    expect(screen.getByText(/"type": "email.sent"/)).toBeTruthy()
    expect(screen.getByText('Answer: 500')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Send again' }))
    await waitFor(() =>
      expect(asked.some(({ method, url }) => method === 'POST' && url === '/api/webhook-deliveries/d/again')).toBe(
        true,
      ),
    )
  })

  test('is looked at by members, and sent again by others', async () => {
    serverSays(DELIVERY)
    show(false)
    expect(await screen.findByText('Answer: 500')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Send/ })).toBeNull()
  })
})
