import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { FormError } from '#components/ui/form-error.tsx'
import { Input } from '#components/ui/input.tsx'
import { LedgerBar } from '#components/ui/ledger-bar.tsx'
import { type Column, Table } from '#components/ui/table.tsx'

function attribute(markup: string, tag: string, name: string): string | undefined {
  return markup.match(new RegExp(`<${tag}[^>]* ${name}="([^"]*)"`))?.[1]
}

function textOf(element: ReactElement): string {
  return renderToStaticMarkup(element)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

test('a field ties its label, error and hint to the control, the error first', () => {
  const field = {
    label: 'Email',
    hint: 'Where replies go.',
    error: 'This is not an address.',
    isRequired: true,
    children: createElement(Input, { name: 'email' }),
  }
  const markup = renderToStaticMarkup(createElement(Field, field))
  const id = attribute(markup, 'input', 'id')
  expect(id).toBeTruthy()
  expect(attribute(markup, 'label', 'for')).toBe(id)
  expect(attribute(markup, 'input', 'aria-describedby')).toBe(`${id}-error ${id}-hint`)
  expect(markup).toContain(`<p id="${id}-error"`)
  expect(markup).toContain(`<p id="${id}-hint"`)
  expect(attribute(markup, 'input', 'aria-invalid')).toBe('true')
  expect(attribute(markup, 'input', 'aria-required')).toBe('true')
})

test('a field with nothing to add points at nothing', () => {
  const field = { label: 'Email', children: createElement(Input) }
  const markup = renderToStaticMarkup(createElement(Field, field))
  expect(markup).not.toContain('aria-describedby=')
  expect(markup).not.toContain('aria-invalid=')
})

test('the place of a form error is there before the error is, so that it is read aloud', () => {
  expect(renderToStaticMarkup(createElement(FormError, {}))).toBe('<div role="alert"></div>')
  expect(textOf(createElement(FormError, { message: 'Taken.' }))).toBe('Taken.')
})

test('a button that waits keeps its text and its focus, and says that it is busy', () => {
  const markup = renderToStaticMarkup(createElement(Button, { isLoading: true }, 'Save'))
  expect(attribute(markup, 'button', 'aria-busy')).toBe('true')
  expect(attribute(markup, 'button', 'type')).toBe('button')
  expect(attribute(markup, 'button', 'disabled')).toBeUndefined()
  expect(markup).toContain('Save')
})

test('a ledger that does not balance says so instead of hiding it', () => {
  const parts = [
    { key: 'sent', label: 'Sent', count: 3, tone: 'success' as const },
    { key: 'waiting', label: 'Waiting', count: 4, tone: 'accent' as const },
  ]
  const ledger = (total: number) => textOf(createElement(LedgerBar, { label: 'Emails', unit: 'emails', parts, total }))
  expect(ledger(7)).toBe('Sent 3 Waiting 4 All emails 7')
  expect(ledger(8)).toBe('Sent 3 Waiting 4 All emails 8 (the parts come to 7)')
})

const COLUMNS: Column<{ id: string; name: string }>[] = [
  { key: 'name', label: 'Name', isRowHeader: true, cell: (row) => row.name },
  { key: 'actions', label: 'Actions', isLabelHidden: true, cell: () => 'Remove' },
]

test('a table has a caption, and each row is named by its header', () => {
  const markup = renderToStaticMarkup(
    Table({ caption: 'Members', columns: COLUMNS, rows: [{ id: '1', name: 'Ada' }], rowKey: (row) => row.id }),
  )
  expect(markup).toContain('<caption class="sr-only">Members</caption>')
  expect(markup).toMatch(/<th scope="row"[^>]*>.*Ada/)
  expect(markup.match(/<th scope="col"/g)).toHaveLength(2)
})

test('a table without rows shows what to do next, but not while it is still loading', () => {
  const empty = { caption: 'Members', columns: COLUMNS, rows: [], rowKey: () => '', empty: 'Invite someone.' }
  expect(textOf(Table(empty))).toBe('Invite someone.')
  const loading = renderToStaticMarkup(Table({ ...empty, isLoading: true }))
  expect(loading).toContain('aria-busy="true"')
  expect(loading).not.toContain('Invite someone.')
})
