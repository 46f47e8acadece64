import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '#components/api-client.ts'
import { useSubmit } from '#components/form/use-submit.ts'
import { makeQueryClient } from '#components/shell/query-client.ts'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'

type Send = (values: Record<string, string>) => Promise<void>

function Form({ send }: { send: Send }) {
  const { formProps, isRunning, errorAt, message } = useSubmit(send)
  return (
    <form {...formProps}>
      <FormError message={message} />
      <Field label="Name" error={errorAt('name')}>
        <Input name="name" />
      </Field>
      <Button type="submit" isLoading={isRunning}>
        Save
      </Button>
    </form>
  )
}

const shown = (what: React.ReactNode) =>
  render(<QueryClientProvider client={makeQueryClient()}>{what}</QueryClientProvider>)

/** A write that the test answers when it likes. */
function held() {
  const asked: Record<string, string>[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const send: Send = (values) => {
    asked.push(values)
    return promise
  }
  return { asked, send, resolve, reject }
}

const invalidName = new ApiError({
  code: 'invalid-input',
  message: 'Something is wrong.',
  status: 400,
  details: { fields: [{ path: 'person.name', message: 'A name is needed.' }] },
})

test('a form that is sent twice in one breath is written once', async () => {
  const { asked, send, resolve } = held()
  shown(<Form send={send} />)
  await userEvent.type(screen.getByLabelText('Name'), 'Ada{Enter}{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(asked).toEqual([{ name: 'Ada' }])
  expect(screen.getByRole('button', { busy: true })).toBeTruthy()
  resolve()
  await waitFor(() => expect(screen.queryByRole('button', { busy: true })).toBeNull())
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(asked).toHaveLength(2)
})

test('what the server says about a field stands beside it, and the field has the focus', async () => {
  shown(<Form send={() => Promise.reject(invalidName)} />)
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  const field = await screen.findByRole('textbox', { name: 'Name', description: 'A name is needed.' })
  expect(document.activeElement).toBe(field)
  expect(screen.getByRole('alert').textContent).toBe('')
})

test('a write while the browser believes to be offline fails at once, and is not kept for later', async () => {
  const unreachable = new ApiError({ code: 'UNREACHABLE', message: 'The server could not be reached.', status: 0 })
  shown(<Form send={() => Promise.reject(unreachable)} />)
  window.dispatchEvent(new Event('offline'))
  try {
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('could not be reached'))
  } finally {
    window.dispatchEvent(new Event('online'))
  }
})

function Asking({ run }: { run: () => Promise<void> }) {
  const { ask, dialog } = useConfirm()
  const [times, setTimes] = useState(0)
  const question = {
    title: 'Remove Ada?',
    description: 'She loses access.',
    confirmLabel: 'Remove',
    run: async () => {
      setTimes((before) => before + 1)
      await run()
    },
  }
  return (
    <>
      <p>Asked {times} times</p>
      <Button onClick={() => ask(question)}>Remove…</Button>
      {dialog}
    </>
  )
}

test('a question stays open with the reason where the answer is no, and closes where it is done', async () => {
  const answers = [() => Promise.reject(invalidName), () => Promise.resolve()]
  shown(<Asking run={() => answers.shift()?.() ?? Promise.resolve()} />)
  await userEvent.click(screen.getByRole('button', { name: 'Remove…' }))
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }))
  await screen.findByText('Something is wrong.')
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getByText('Asked 2 times')).toBeTruthy()
})

test('a question that is being answered can neither be answered again nor left', async () => {
  const { send, resolve } = held()
  shown(<Asking run={() => send({})} />)
  await userEvent.click(screen.getByRole('button', { name: 'Remove…' }))
  const confirm = screen.getByRole('button', { name: 'Remove' })
  await userEvent.dblClick(confirm)
  await userEvent.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Remove Ada?' })).toBeTruthy()
  resolve()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getByText('Asked 1 times')).toBeTruthy()
})

test('a dialog in which something was typed asks before an Escape or a press beside it closes it', async () => {
  const onOpenChange = vi.fn()
  render(
    <Dialog title="Invite" isOpen onOpenChange={onOpenChange}>
      <form>
        <input aria-label="Email" />
      </form>
    </Dialog>,
  )
  const field = screen.getByLabelText('Email')
  await userEvent.type(field, 'ada')
  await userEvent.keyboard('{Escape}')
  const goOn = await screen.findByRole('button', { name: 'Go on typing' })
  expect([document.activeElement, onOpenChange.mock.calls]).toEqual([goOn, []])
  await userEvent.click(goOn)
  expect([screen.queryByRole('alert'), document.activeElement]).toEqual([null, field])
  expect(field).toHaveProperty('value', 'ada')

  await userEvent.keyboard('{Escape}')
  await userEvent.click(await screen.findByRole('button', { name: 'Close it' }))
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false)
})

test('a dialog in which nothing was typed is closed by an Escape at once', async () => {
  const onOpenChange = vi.fn()
  render(
    <Dialog title="Invite" isOpen onOpenChange={onOpenChange}>
      <form>
        <input aria-label="Email" />
      </form>
    </Dialog>,
  )
  await userEvent.keyboard('{Escape}')
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false)
})

function People({ ask }: { ask: () => Promise<string> }) {
  const { data } = useQuery({ queryKey: ['people'], queryFn: ask })
  const queryClient = useQueryClient()
  return (
    <>
      <p>{data}</p>
      <Button onClick={() => void queryClient.invalidateQueries({ queryKey: ['people'] })}>Added</Button>
    </>
  )
}

test('what is asked for the first time while a change is made is asked again after it', async () => {
  const answers: ((word: string) => void)[] = []
  shown(<People ask={() => new Promise((resolve) => answers.push(resolve))} />)
  await userEvent.click(screen.getByRole('button', { name: 'Added' }))
  await waitFor(() => expect(answers).toHaveLength(2))
  answers[0]?.('nobody')
  answers[1]?.('four people')
  await screen.findByText('four people')
})
