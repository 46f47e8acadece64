import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { expect, test } from 'vitest'
import { ApiError } from '#components/api-client.ts'
import { live } from '#components/live/live.ts'
import { LostServer } from '#components/live/lost-server.tsx'
import { FieldText } from '#components/sequences/fields/field-text.tsx'
import { PageKeys, usePageKeys } from '#components/shell/page-keys.tsx'
import { makeQueryClient } from '#components/shell/query-client.ts'
import { type Shortcut, useKeySequences } from '#components/shell/use-key-sequences.ts'
import { rowKeys } from '#components/ui/row-keys.ts'
import { type Column, Table } from '#components/ui/table.tsx'

const COLUMNS: Column<{ id: string }>[] = [{ key: 'id', label: 'Name', isRowHeader: true, cell: ({ id }) => id }]
const ROWS = ['Ada', 'Bo', 'Cy'].map((id) => ({ id }))

function Page({ done }: { done: string[] }) {
  const place = useRef<HTMLDivElement>(null)
  usePageKeys([{ keys: ['/'], label: 'Search this list', action: () => done.push('page /') }, ...rowKeys(place)])
  return (
    <div ref={place}>
      <Table caption="People" columns={COLUMNS} rows={ROWS} rowKey={({ id }) => id} />
      <input aria-label="Search" />
    </div>
  )
}

function Shell({ done, listed, children }: { done: string[]; listed: string[][]; children: React.ReactNode }) {
  const shortcuts: Shortcut[] = [
    { keys: ['/'], label: 'Open the command menu', action: () => done.push('shell /') },
    { keys: ['?'], label: 'Show these shortcuts', action: () => done.push('shell ?') },
  ]
  useKeySequences(shortcuts)
  return <PageKeys onKeys={(keys) => listed.push(keys.map(({ label }) => label))}>{children}</PageKeys>
}

test('the keys of a page come before those of the shell, are listed while it is open, and leave text alone', async () => {
  const done: string[] = []
  const listed: string[][] = []
  const at = (isOpen: boolean) => (
    <Shell done={done} listed={listed}>
      {isOpen && <Page done={done} />}
    </Shell>
  )
  // The page comes after the shell, as it does when a person goes from one page to another.
  const { rerender } = render(at(false))
  rerender(at(true))
  await userEvent.keyboard('/?')
  expect(done).toEqual(['page /', 'shell ?'])
  expect(listed.at(-1)).toEqual(['Search this list', 'Next row', 'Previous row'])
  await userEvent.type(screen.getByLabelText('Search'), '/j')
  expect(screen.getByLabelText('Search')).toHaveProperty('value', '/j')
  expect(done).toHaveLength(2)

  rerender(at(false))
  expect(listed.at(-1)).toEqual([])
  await userEvent.click(document.body)
  await userEvent.keyboard('/')
  expect(done.at(-1)).toBe('shell /')
})

test('j and k go from row to row, and stop at the ends', async () => {
  render(<Page done={[]} />)
  const focused = () => document.activeElement?.textContent
  await userEvent.keyboard('j')
  expect(focused()).toContain('Ada')
  await userEvent.keyboard('jjj')
  expect(focused()).toContain('Cy')
  await userEvent.keyboard('k')
  expect(focused()).toContain('Bo')
  await userEvent.keyboard('kkk')
  expect(focused()).toContain('Ada')
})

function Live({ ask }: { ask: () => Promise<{ rows: { id: string }[] }> }) {
  const query = useQuery({ queryKey: ['rows'], queryFn: ask, ...live, retry: false })
  return (
    <>
      <LostServer query={query} />
      <button type="button" onClick={() => query.refetch()}>
        Ask
      </button>
      <Table caption="People" columns={COLUMNS} rows={query.data?.rows ?? []} rowKey={({ id }) => id} />
    </>
  )
}

test('a page that lost the server keeps what it shows, says so, and recovers; the focus stays in its row', async () => {
  const unreachable = new ApiError({ code: 'UNREACHABLE', message: 'The server could not be reached.', status: 0 })
  const answers: (() => Promise<{ rows: { id: string }[] }>)[] = [
    async () => ({ rows: ROWS }),
    () => Promise.reject(unreachable),
    async () => ({ rows: [{ id: 'New' }, ...ROWS] }),
  ]
  const ask = () => answers.shift()?.() ?? new Promise<never>(() => undefined)
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <Live ask={ask} />
    </QueryClientProvider>,
  )
  const row = await screen.findByRole('row', { name: 'Bo' })
  expect(screen.getByRole('status').textContent).toBe('')
  act(() => row.focus())
  await userEvent.click(screen.getByRole('button', { name: 'Ask' }))
  act(() => row.focus())
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('The server does not answer'))
  expect(screen.getByRole('row', { name: 'Bo' })).toBe(row)

  act(() => screen.getByRole('button', { name: 'Ask' }).click())
  await screen.findByRole('row', { name: 'New' })
  expect(screen.getByRole('status').textContent).toBe('')
  expect(document.activeElement).toBe(row)
})

test('a text that is read shows its fields as the editor does, and what is no field as it was written', () => {
  const { container } = render(<FieldText text={'Your {{custom.day}}, {{firstName | "friend"}}: {{nick}} {{'} />)
  expect(container.textContent).toBe('Your day, First name | friend: {{nick}} {{')
  expect([...container.querySelectorAll('span')].map((chip) => chip.textContent)).toEqual([
    'day',
    'First name | friend',
  ])
})
