'use client'

import type { Editor } from '@tiptap/core'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { fieldLabel } from './field-words.ts'
import { isImageSource, isLink } from './rich-html.ts'

export type What = 'field' | 'link' | 'image' | 'button'

/** Something that is put into a text, or changed in it. */
export type Inserting = { what: What; values: Record<string, string>; isNew: boolean }

interface InsertionProps {
  editor: Editor
  inserting: Inserting
  onDone: () => void
}

const NO_LINK = 'Write an address that begins with https://, mailto: or tel:.'
const NO_IMAGE = 'Write the address of a picture that begins with https://.'

/** In the editor's own frame, below the text: nothing is covered, and Tab leads into it. */
export function Insertion({ editor, inserting: { what, values, isNew }, onDone }: InsertionProps) {
  const [written, setWritten] = useState(values)
  const [error, setError] = useState<string | null>(null)
  const id = useId()
  const titleId = `${id}-title`

  const field = (name: string, label: string, isFirst = false) => (
    <Field label={label} error={isFirst ? error : null} className="min-w-40 flex-1">
      <Input
        value={written[name] ?? ''}
        autoComplete="off"
        spellCheck={name !== 'href' && name !== 'src'}
        autoFocus={isFirst && isNew}
        onChange={(event) => setWritten({ ...written, [name]: event.target.value.replace(/[\r\n]/g, ' ') })}
      />
    </Field>
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    event.stopPropagation()
    if ((what === 'link' || what === 'button') && !isLink(written.href ?? '')) return setError(NO_LINK)
    if (what === 'image' && !isImageSource(written.src ?? '')) return setError(NO_IMAGE)
    put(editor, what, written, isNew)
    onDone()
  }

  function remove() {
    if (what === 'link') editor.chain().extendMarkRange('link').unsetLink().run()
    else editor.chain().deleteSelection().run()
    onDone()
  }

  function leave(event: KeyboardEvent) {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onDone()
  }

  return (
    <form
      aria-labelledby={titleId}
      onSubmit={submit}
      onKeyDown={leave}
      noValidate
      className="flex flex-wrap items-end gap-2 rounded-b-md border-border border-t bg-sunken px-2.5 py-2"
    >
      <p className="w-full font-medium text-[0.8125rem]">
        <span id={titleId}>{TITLE[what](values.field ?? '')}</span>
        <span className="font-normal text-muted">{HINT[what]}</span>
      </p>
      {what === 'field' && field('fallback', 'Fallback', true)}
      {what === 'link' && field('href', 'Address', true)}
      {what === 'image' && field('src', 'Address of the picture', true)}
      {what === 'image' && field('alt', 'What it shows')}
      {what === 'button' && field('href', 'Address', true)}
      {what === 'button' && field('label', 'Words on it')}
      <div className="flex gap-2">
        <Button type="submit" size="sm">
          {isNew ? 'Insert' : 'Change'}
        </Button>
        {!isNew && (
          <Button size="sm" variant="ghost" onClick={remove}>
            Remove
          </Button>
        )}
        {isNew && (
          <Button size="sm" variant="ghost" onClick={onDone}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  )
}

const HINT: Record<What, string> = {
  field: ': the fallback stands there for people who have nothing here',
  link: '',
  image: ': what it shows is for readers who do not see it',
  button: '',
}

const TITLE: Record<What, (field: string) => string> = {
  field: (field) => fieldLabel(field),
  link: () => 'Link',
  image: () => 'Picture',
  button: () => 'Button',
}

function put(editor: Editor, what: What, written: Record<string, string>, isNew: boolean): void {
  const chain = editor.chain()
  if (what === 'link') {
    const href = written.href?.trim() ?? ''
    const { empty } = editor.state.selection
    if (empty && isNew)
      chain.insertContent({ type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] }).run()
    else chain.extendMarkRange('link').setLink({ href }).run()
    return
  }
  if (what === 'field') {
    const fallback = written.fallback?.trim() ? written.fallback.trim() : null
    chain.updateAttributes('mergeField', { fallback }).run()
    return
  }
  const type = what === 'image' ? 'mailImage' : 'mailButton'
  const attrs = what === 'button' ? { ...written, label: written.label?.trim() || written.href } : written
  if (isNew) chain.insertContent({ type, attrs }).run()
  else chain.updateAttributes(type, attrs).run()
}
