'use client'

import type { Editor } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import clsx from 'clsx'
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import { fieldsIn } from '#lib/sequences/fields-in.ts'
import { markLacking } from './chips.ts'
import { type Coverage, lackSentence } from './field-words.ts'
import { type Inserting, Insertion } from './insertion.tsx'
import { contentOf, type EditorKind, makeEditor } from './make-editor.ts'
import { Toolbar } from './toolbar.tsx'

export interface FieldEditorProps {
  kind: EditorKind
  label: string
  value: string
  onChange: (value: string) => void
  coverage: Coverage
  placeholder?: string
  describedBy?: string
  /** It has the focus as soon as it is there. */
  isFocused?: boolean
}

/**
 * A text with chips for its fields. It is loaded with the library that it stands on, and only where something is edited:
 * import it on demand.
 */
export function FieldEditor(props: FieldEditorProps) {
  const { kind, label, value, onChange, coverage, placeholder, describedBy, isFocused = false } = props
  const place = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor | null>(null)
  const [inserting, setInserting] = useState<Inserting | null>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const shown = useRef(value)

  const changed = useEffectEvent((next: string) => {
    if (next === shown.current) return
    shown.current = next
    onChange(next)
  })
  const start = useEffectEvent((element: HTMLElement) =>
    makeEditor({
      element,
      kind,
      value,
      attributes: {
        class: clsx('outline-none', STYLE[kind]),
        role: 'textbox',
        'aria-label': label,
        'aria-multiline': String(kind !== 'line'),
        ...(describedBy && { 'aria-describedby': describedBy }),
      },
      onChange: changed,
    }),
  )
  const focusFirst = useEffectEvent((made: Editor) => {
    if (isFocused) made.commands.focus()
  })
  useEffect(() => {
    if (!place.current) return
    const made = start(place.current)
    made.on('transaction', redraw)
    setEditor(made)
    focusFirst(made)
    return () => made.destroy()
  }, [])

  // What came from elsewhere: another version, an undo of a change of form.
  useEffect(() => {
    if (!editor || value === shown.current) return
    shown.current = value
    editor.commands.setContent(contentOf(kind, value), { emitUpdate: false })
  }, [editor, kind, value])

  const lacking = fieldsIn(value).flatMap(({ field }) => (lackSentence(field, coverage) ? field : []))
  const lackingKey = lacking.join()
  useEffect(() => {
    if (editor) markLacking(editor, new Set(lackingKey.split(',')))
  }, [editor, lackingKey])

  const chip = editor && chipIn(editor)
  const opened = inserting ?? (chip && { ...chip, isNew: false })
  return (
    <div className="rounded-md border border-control bg-surface shadow-card focus-within:outline-2 focus-within:outline-accent-text focus-within:outline-offset-2">
      <div className={clsx('flex', kind === 'line' ? 'flex-row-reverse items-start' : 'flex-col')}>
        <Toolbar editor={editor} kind={kind} label={label} coverage={coverage} onInsert={setInserting} />
        <div className="relative min-w-0 flex-1">
          <div ref={place} className={clsx('px-2.5', kind === 'line' ? 'py-2 lg:py-1.5' : 'min-h-40 py-2')} />
          {placeholder && value === '' && (
            <p
              aria-hidden
              className="pointer-events-none absolute inset-x-2.5 top-2 truncate text-base text-muted lg:top-1.5 lg:text-sm"
            >
              {placeholder}
            </p>
          )}
        </div>
      </div>
      {editor && opened && (
        <Insertion
          key={`${opened.what} ${opened.isNew}`}
          editor={editor}
          inserting={opened}
          onDone={() => {
            setInserting(null)
            // At once: the editor's own command waits for a frame, and may come after the hands have gone on.
            editor.view.focus()
          }}
        />
      )}
    </div>
  )
}

/** The library puts an empty picture behind a chip at the end of a line, which our style sheet would give a line of its own. */
const TEXT = 'whitespace-pre-wrap break-words text-base lg:text-sm [&_.ProseMirror-separator]:inline!'

const STYLE: Record<EditorKind, string> = {
  line: TEXT,
  text: TEXT,
  rich: `${TEXT} [&_li]:ml-5 [&_li_p]:mb-0 [&_ol]:mb-2.5 [&_ol]:list-decimal [&_p]:mb-2.5 [&_ul]:mb-2.5 [&_ul]:list-disc`,
}

/** The chip that is chosen: by a click, or by the arrow keys. */
function chipIn({ state: { selection } }: Editor): Pick<Inserting, 'what' | 'values'> | null {
  if (!(selection instanceof NodeSelection)) return null
  const { type, attrs } = selection.node
  if (type.name === 'mergeField')
    return { what: 'field', values: { field: attrs.field, fallback: attrs.fallback ?? '' } }
  if (type.name === 'mailImage') return { what: 'image', values: { src: attrs.src ?? '', alt: attrs.alt ?? '' } }
  if (type.name === 'mailButton')
    return { what: 'button', values: { label: attrs.label ?? '', href: attrs.href ?? '' } }
  return null
}
