// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { InlineField } from '#components/form/inline-field.tsx'
import { ColumnsTable } from '#components/import/columns-table.tsx'
import type { ImportColumn } from '#components/import/import-draft.ts'
import type { Preview } from '#components/import/import-form.ts'
import { timelineOf } from '#components/person/timeline.ts'
import type { History, Person } from '#components/person/use-person.ts'
import { fieldLabel } from '#components/prospects/field-words.ts'
import { columnsFor } from '#components/prospects/prospect-columns.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'

afterEach(cleanup)

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION: SessionView = {
  person: { id: 'p', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}

function AtWork({ children }: { children: ReactNode }) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(queryKeys.prospectFields('w'), { fields: ['city'] })
  return (
    <QueryClientProvider client={client}>
      <SessionProvider session={SESSION}>{children}</SessionProvider>
    </QueryClientProvider>
  )
}

const Field = ({ value, onSave }: { value: string; onSave: (value: string) => Promise<void> }) => (
  <dl>
    <InlineField label="Company" value={value} onSave={onSave} />
  </dl>
)

const preview = {
  headers: ['E-Mail', 'Stadt'],
  rows: [{ line: 2, cells: ['ada@example.com', 'London'] }],
} as Preview

function Table({ onColumns }: { onColumns: (columns: ImportColumn[]) => void }) {
  const [columns, setColumns] = useState<ImportColumn[]>([
    { to: 'email' },
    { to: 'custom', name: 'stadt', type: 'text' },
  ])
  const change = (next: ImportColumn[]) => {
    setColumns(next)
    onColumns(next)
  }
  return (
    <AtWork>
      <ColumnsTable preview={preview} columns={columns} onChange={change} />
    </AtWork>
  )
}

describe('a value that is edited where it stands', () => {
  test('Enter keeps what was typed, and the focus comes back to its button', async () => {
    const onSave = vi.fn(async () => undefined)
    render(<Field value="Acme" onSave={onSave} />)
    await userEvent.click(screen.getByRole('button', { name: 'Company: Acme. Change' }))
    await userEvent.clear(screen.getByLabelText('Company'))
    await userEvent.type(screen.getByLabelText('Company'), ' Babbage {Enter}')
    expect(onSave).toHaveBeenCalledExactlyOnceWith('Babbage')
    const button = await screen.findByRole('button', { name: 'Company: Acme. Change' })
    await waitFor(() => expect(document.activeElement).toBe(button))
  })

  test('Escape leaves it, and so does an Enter that changes nothing', async () => {
    const onSave = vi.fn(async () => undefined)
    render(<Field value="Acme" onSave={onSave} />)
    await userEvent.click(screen.getByRole('button'))
    await userEvent.type(screen.getByLabelText('Company'), 'x{Escape}')
    await userEvent.click(await screen.findByRole('button', { name: /Change/ }))
    await userEvent.type(screen.getByLabelText('Company'), '{Enter}')
    expect(onSave).not.toHaveBeenCalled()
  })

  test('what somebody else made of it is said before it is replaced', async () => {
    const onSave = vi.fn(async () => undefined)
    const { rerender } = render(<Field value="Acme" onSave={onSave} />)
    await userEvent.click(screen.getByRole('button'))
    rerender(<Field value="Other" onSave={onSave} />)
    expect(screen.getByRole('alert').textContent).toContain('changed to “Other” while you typed')
  })
})

describe('matching columns', () => {
  test('each column shows its values, and a new field is named while the others stay', async () => {
    const onColumns = vi.fn()
    render(<Table onColumns={onColumns} />)
    expect(screen.getByText('London')).toBeDefined()
    const name = screen.getByLabelText('Name of the new field for Stadt')
    await userEvent.clear(name)
    await userEvent.type(name, 'town')
    expect(onColumns).toHaveBeenLastCalledWith([{ to: 'email' }, { to: 'custom', name: 'town', type: 'text' }])
    expect(document.activeElement).toBe(name)
  })
})

test('a timeline puts what is to come before what was, the next and the last first', () => {
  const person = {
    createdAt: '2026-01-01T00:00:00Z',
    repliedAt: '2026-01-05T00:00:00Z',
  } as Person
  const email = (id: string, status: string, at: string) =>
    ({
      id,
      status,
      at,
      sentence: `About ${id}.`,
      subject: null,
      stepNumber: 1,
      campaign: null,
      lastError: null,
    }) as never
  const history: History = {
    isCut: false,
    enrolments: [],
    events: [],
    emails: [
      email('later', 'SCHEDULED', '2026-03-02T00:00:00Z'),
      email('next', 'RETRY_SCHEDULED', '2026-02-02T00:00:00Z'),
      email('sent', 'SENT', '2026-01-03T00:00:00Z'),
      email('unknown', 'OUTCOME_UNKNOWN', '2026-01-04T00:00:00Z'),
    ],
  }
  const former = [{ email: 'old@example.com', leftAt: '2026-01-02T00:00:00Z' }]
  const { toCome, past } = timelineOf(person, history, former)
  expect(toCome.map(({ key }) => key)).toEqual(['next', 'later'])
  expect(past.map(({ title }) => title.split(/[.:]/)[0])).toEqual([
    'Replied',
    'Outcome unknown',
    'Sent',
    'Had the address old@example',
    'Added',
  ])
})

test('each email of a timeline opens in the queue, and each campaign with the others who are where the person is', () => {
  const campaign = { id: 'spring', name: 'Spring' }
  const email = { id: 'one', status: 'CANCELLED', at: '2026-03-02T00:00:00Z', sentence: '', subject: null } as never
  const enrolment = { id: 'two', campaign, state: 'ACTIVE', reason: null, createdAt: '2026-01-02T00:00:00Z' } as const
  const history: History = { isCut: false, events: [], emails: [email], enrolments: [enrolment] }
  const person = { id: 'ada', createdAt: '2026-01-01T00:00:00Z' } as Person
  const hrefs = timelineOf(person, history, []).past.map(({ href }) => href)
  expect(hrefs).toEqual([
    '/admin/email-queue?tab=cancelled&person=ada&email=one',
    '/campaigns/spring?tab=people&state=ACTIVE',
    null,
  ])
})

test('a field may have a name that every object of the language knows', () => {
  expect(fieldLabel('constructor')).toBe('constructor')
  const [, column] = columnsFor(['constructor'], ['constructor'], 'UTC')
  expect(column?.label).toBe('constructor')
  const person = (customFields: Person['customFields']) =>
    ({ customFields }) as Parameters<NonNullable<typeof column>['cell']>[0]
  const { rerender, container } = render(column?.cell(person({ constructor: 'Eiffel' })))
  expect(container.textContent).toBe('Eiffel')
  rerender(column?.cell(person({})))
  expect(container.textContent).not.toContain('native code')
})
