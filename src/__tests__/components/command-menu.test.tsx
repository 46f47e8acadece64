import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { type CommandItem, pageCommands } from '#components/shell/commands/command-items.ts'
import { CommandMenu } from '#components/shell/commands/command-menu.tsx'
import { type ListedKeys, PageKeys, usePageKeys } from '#components/shell/page-keys.tsx'

function Menu({ items }: { items: CommandItem[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return <CommandMenu items={items} isOpen={isOpen} onOpenChange={setIsOpen} />
}

test('what is typed before the list has come is not lost: it finds, and Enter does it', async () => {
  const done: string[] = []
  const item = (label: string): CommandItem => ({ id: label, group: 'Do', label, run: () => done.push(label) })
  render(<Menu items={[item('Invite a person'), item('Create a workspace')]} />)
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('crea')
  const option = await screen.findByRole('option', { name: 'Create a workspace' })
  expect(screen.queryByRole('option', { name: 'Invite a person' })).toBeNull()
  const field = screen.getByPlaceholderText('Go to a page, or do something…')
  expect(document.activeElement).toBe(field)
  expect(field).toHaveProperty('value', 'crea')
  expect(option.getAttribute('aria-selected')).toBe('true')
  await userEvent.keyboard('{Enter}')
  expect(done).toEqual(['Create a workspace'])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('an Enter before the list has come is not lost either: what would stand on top is done', async () => {
  const done: string[] = []
  const item = (label: string): CommandItem => ({ id: label, group: 'Do', label, run: () => done.push(label) })
  render(<Menu items={[item('Invite a person'), item('Recreate the audit'), item('Create a workspace')]} />)
  fireEvent.keyDown(document, { key: 'k', ctrlKey: true })
  const field = screen.getByPlaceholderText('Go to a page, or do something…')
  fireEvent.change(field, { target: { value: 'crea' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(screen.queryByRole('option')).toBeNull()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(done).toEqual(['Create a workspace'])
})

test('Ctrl K closes it again, and the next opening begins with nothing', async () => {
  render(<Menu items={[]} />)
  await userEvent.keyboard('{Control>}k{/Control}abc')
  await userEvent.keyboard('{Control>}k{/Control}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await userEvent.keyboard('{Control>}k{/Control}')
  expect(await screen.findByPlaceholderText('Go to a page, or do something…')).toHaveProperty('value', '')
})

function Page({ done, name }: { done: string[]; name: string }) {
  usePageKeys([
    { keys: ['j'], label: 'Next row', action: () => done.push('next') },
    { keys: ['n'], label: 'Add a person', action: () => done.push(`added to ${name}`) },
  ])
  return null
}

function WithPage({ done, name }: { done: string[]; name: string }) {
  const [keys, setKeys] = useState<readonly ListedKeys[]>([])
  return (
    <>
      <PageKeys onKeys={setKeys}>
        <Page done={done} name={name} />
      </PageKeys>
      <Menu items={pageCommands(keys)} />
    </>
  )
}

test('what the page does on a key is offered by name, as the page is by then; what needs a row is not', async () => {
  const done: string[] = []
  const { rerender } = render(<WithPage done={done} name="one list" />)
  rerender(<WithPage done={done} name="another" />)
  await userEvent.keyboard('{Control>}k{/Control}')
  await screen.findByRole('option', { name: 'Add a person' })
  expect(screen.queryByRole('option', { name: 'Next row' })).toBeNull()
  await userEvent.keyboard('{Enter}')
  expect(done).toEqual(['added to another'])
})
