import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, test } from 'vitest'
import { FieldEditor } from '#components/sequences/fields/field-editor.tsx'
import type { EditorKind } from '#components/sequences/fields/make-editor.ts'

const COVERAGE = {
  people: 412,
  lacking: new Map([
    ['company', 9],
    ['custom.city', 400],
  ]),
}

function Edited({ kind, initial, written }: { kind: EditorKind; initial: string; written: string[] }) {
  const [value, setValue] = useState(initial)
  return (
    <>
      <FieldEditor
        kind={kind}
        label="The text"
        value={value}
        onChange={(next) => {
          written.push(next)
          setValue(next)
        }}
        coverage={COVERAGE}
      />
      <button type="button" onClick={() => setValue('From elsewhere, {{lastName}}')}>
        Bring another
      </button>
    </>
  )
}

async function opened(kind: EditorKind, initial: string) {
  const written: string[] = []
  render(<Edited kind={kind} initial={initial} written={written} />)
  const box = await screen.findByRole('textbox', { name: 'The text' })
  return { written, box }
}

const insert = async (field: RegExp) => {
  await userEvent.click(screen.getByRole('button', { name: 'Insert field' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: field }))
}

describe('a text with chips', () => {
  test.each<[EditorKind, string]>([
    ['line', 'Your stand, {{firstName | "you \\"there\\""}} {{nick}}'],
    ['text', 'Dear {{firstName}},\n\n  two spaces\n{{company | "x"}}'],
    ['rich', '<p>Hi {{firstName}}, <strong>you</strong></p>'],
  ])('shows a %s without changing it', async (kind, initial) => {
    const { written, box } = await opened(kind, initial)
    expect(box.textContent).toContain('First name')
    expect(box.textContent).not.toContain('{{firstName')
    expect(written).toEqual([])
  })

  test('a field from the menu is written as one, and the menu says who lacks it', async () => {
    const { written } = await opened('text', '')
    await userEvent.click(screen.getByRole('button', { name: 'Insert field' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Company.*9 of 412 have none/ }))
    await waitFor(() => expect(written).toEqual(['{{company}}']))
  })

  test('what comes from elsewhere takes the place of what is shown, and is not written back', async () => {
    const { written, box } = await opened('line', '')
    await insert(/^city/)
    await waitFor(() => expect(written.at(-1)).toBe('{{custom.city}}'))
    const chip = box.querySelector<HTMLElement>('[data-mergefield]')
    expect(chip?.textContent).toBe('city')
    await userEvent.click(screen.getByRole('button', { name: 'Bring another' }))
    await waitFor(() => expect(box.textContent).toBe('From elsewhere, Last name'))
    expect(written).toHaveLength(1)
  })

  test('what is no field is marked where it stands, with the reason', async () => {
    const { box } = await opened('text', 'Dear {{nick}}, {{company}}')
    expect(box.querySelector('[title]')?.getAttribute('title')).toMatch(/^There is no field nick/)
    expect(box.querySelector('[title]')?.textContent).toBe('{{nick}}')
    // A field that nine people lack.
    expect(box.querySelector('[data-mergefield]')?.className).toContain('warning')
  })
})
