import { render, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { pageOfTarget, sentenceOf } from '#components/audit/audit-words.ts'
import { counted, people } from '#components/counted.ts'
import { EMAIL_LEDGER, EMAIL_STATUS_LOOK, ENROLMENT_LEDGER, ENROLMENT_STATE_LOOK } from '#components/status-look.ts'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { DateTime } from '#components/ui/date-time.tsx'
import { LedgerBar } from '#components/ui/ledger-bar.tsx'
import { type Column, Table } from '#components/ui/table.tsx'

test('a field ties its label, error and hint to the control, the error first', () => {
  render(
    <Field label="Email" hint="Where replies go." error="This is not an address." isRequired>
      <Input name="email" />
    </Field>,
  )
  const control = screen.getByRole('textbox', {
    name: 'Email',
    description: 'This is not an address. Where replies go.',
  })
  expect(control.getAttribute('aria-invalid')).toBe('true')
  expect(control.getAttribute('aria-required')).toBe('true')
})

test('a field with nothing to add points at nothing', () => {
  render(
    <Field label="Email">
      <Input />
    </Field>,
  )
  const control = screen.getByRole('textbox', { name: 'Email' })
  expect(control.hasAttribute('aria-describedby')).toBe(false)
  expect(control.hasAttribute('aria-invalid')).toBe(false)
})

test('the place of a form error is there before the error is, so that it is read aloud', () => {
  const { rerender } = render(<FormError />)
  const place = screen.getByRole('alert')
  expect(place.textContent).toBe('')
  rerender(<FormError message="Taken." />)
  expect(screen.getByRole('alert')).toBe(place)
  expect(place.textContent).toBe('Taken.')
})

test('a button that waits keeps its text and its focus, and says that it is busy', () => {
  const { rerender } = render(<Button>Save</Button>)
  const button = screen.getByRole('button', { name: 'Save' })
  button.focus()
  rerender(<Button isLoading>Save</Button>)
  expect(screen.getByRole('button', { name: 'Save', busy: true })).toBe(button)
  expect(document.activeElement).toBe(button)
  expect(button.hasAttribute('disabled')).toBe(false)
})

test('a ledger that does not balance says so instead of hiding it', () => {
  const parts = [
    { key: 'sent', label: 'Sent', count: 3, tone: 'success' as const },
    { key: 'waiting', label: 'Waiting', count: 4, tone: 'accent' as const },
  ]
  const { container, rerender } = render(<LedgerBar label="Emails" unit="emails" parts={parts} total={7} />)
  expect(container.textContent).not.toContain('the parts come to')
  rerender(<LedgerBar label="Emails" unit="emails" parts={parts} total={8} />)
  expect(container.textContent).toContain('8 (the parts come to 7)')
})

const COLUMNS: Column<{ id: string; name: string }>[] = [
  { key: 'name', label: 'Name', isRowHeader: true, cell: (row) => row.name },
  { key: 'actions', label: 'Actions', isLabelHidden: true, cell: () => <button type="button">Remove</button> },
]

test('a table has a caption, and each row is named by its header', () => {
  render(<Table caption="Members" columns={COLUMNS} rows={[{ id: '1', name: 'Ada' }]} rowKey={(row) => row.id} />)
  const table = screen.getByRole('table', { name: 'Members' })
  expect(within(table).getAllByRole('columnheader')).toHaveLength(2)
  const row = within(table).getByRole('row', { name: /^Ada/ })
  expect(within(row).getByRole('rowheader').textContent).toContain('Ada')
})

test('a table without rows shows what to do next, but not while it is still loading', () => {
  const props = { caption: 'Members', columns: COLUMNS, rows: [], rowKey: () => '', empty: 'Invite someone.' }
  const { container, rerender } = render(<Table {...props} isLoading />)
  expect(screen.getByRole('region', { name: 'Members', busy: true })).toBeTruthy()
  expect(container.textContent).not.toContain('Invite someone.')
  rerender(<Table {...props} />)
  expect(container.textContent).toBe('Invite someone.')
})

test('a date is the workspace’s, and its title says besides what it is where the reader sits', () => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const elsewhere = here === 'Asia/Tokyo' ? 'Europe/Berlin' : 'Asia/Tokyo'
  const { rerender } = render(<DateTime instant="2026-11-19T03:00:00Z" timeZone={elsewhere} />)
  const title = () => screen.getByRole('time').getAttribute('title')?.split('\n')
  expect(title()).toEqual([expect.stringContaining(elsewhere), expect.stringContaining(here)])
  rerender(<DateTime instant="2026-11-19T03:00:00Z" timeZone={here} />)
  expect(title()).toEqual([expect.stringContaining(here)])
})

test('a number has the word that fits it, and separators', () => {
  expect([0, 1, 2, 1_204].map((number) => counted(number, 'email'))).toEqual([
    '0 emails',
    '1 email',
    '2 emails',
    '1,204 emails',
  ])
  expect([people(1), people(412)]).toEqual(['1 person', '412 people'])
})

test('the bar of a ledger fills from the left, and has each state once', () => {
  expect([EMAIL_LEDGER[0], ENROLMENT_LEDGER[0]]).toEqual(['SENT', 'FINISHED'])
  expect(EMAIL_LEDGER.toSorted()).toEqual(Object.keys(EMAIL_STATUS_LOOK).toSorted())
  expect(ENROLMENT_LEDGER.toSorted()).toEqual(Object.keys(ENROLMENT_STATE_LOOK).toSorted())
})

test('the audit log leads to what an entry is about, and shows nobody an id for a name', () => {
  const id = '01a1f479-9ba9-73e3-bbf1-bfa866a348cb'
  const entry = { action: 'prospect.archived', targetKind: 'prospect', targetId: id, targetName: `prospect ${id}` }
  expect([sentenceOf(entry), pageOfTarget(entry)]).toEqual([
    { verb: 'archived', target: 'a person' },
    `/prospects/${id}`,
  ])
  expect(pageOfTarget({ targetKind: 'workspace', targetId: id })).toBeNull()
  expect(pageOfTarget({ targetKind: 'campaign', targetId: null })).toBeNull()
})
