'use client'

import type { Editor } from '@tiptap/core'
import clsx from 'clsx'
import { Bold, Braces, Image, Italic, Link, List, ListOrdered, type LucideIcon, MousePointerClick } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { DropdownMenu, MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { MERGE_FIELDS } from '#lib/sequences/template.ts'
import { type Coverage, fieldLabel } from './field-words.ts'
import type { Inserting, What } from './insertion.tsx'
import type { EditorKind } from './make-editor.ts'

interface ToolbarProps {
  editor: Editor | null
  kind: EditorKind
  /** Of the text that it belongs to. */
  label: string
  coverage: Coverage
  onInsert: (inserting: Inserting) => void
}

export function Toolbar({ editor, kind, label, coverage, onInsert }: ToolbarProps) {
  const own = [...coverage.lacking.keys()].filter((field) => field.startsWith('custom.'))
  const fields = [...Object.keys(MERGE_FIELDS), ...own]
  const insertField = (field: string) =>
    editor
      ?.chain()
      .focus()
      .insertContent({ type: 'mergeField', attrs: { field, fallback: null } })
      .run()
  const ask = (what: What, values: Record<string, string>) => onInsert({ what, values, isNew: true })
  return (
    <div
      role="toolbar"
      aria-label={`Tools for: ${label}`}
      className={clsx('flex flex-wrap items-center gap-0.5 px-1 py-0.5', kind !== 'line' && 'border-border border-b')}
    >
      {kind === 'rich' && editor && (
        <>
          <Tool
            icon={Bold}
            label="Bold"
            keys="Control+B"
            isOn={editor.isActive('bold')}
            run={() => editor.chain().focus().toggleBold().run()}
          />
          <Tool
            icon={Italic}
            label="Italic"
            keys="Control+I"
            isOn={editor.isActive('italic')}
            run={() => editor.chain().focus().toggleItalic().run()}
          />
          <Tool
            icon={Link}
            label="Link"
            isOn={editor.isActive('link')}
            run={() =>
              onInsert({
                what: 'link',
                values: { href: editor.getAttributes('link').href ?? '' },
                isNew: !editor.isActive('link'),
              })
            }
          />
          <Tool
            icon={List}
            label="List"
            isOn={editor.isActive('bulletList')}
            run={() => editor.chain().focus().toggleBulletList().run()}
          />
          <Tool
            icon={ListOrdered}
            label="Numbered list"
            isOn={editor.isActive('orderedList')}
            run={() => editor.chain().focus().toggleOrderedList().run()}
          />
          <Tool icon={Image} label="Picture" run={() => ask('image', { src: '', alt: '' })} />
          <Tool icon={MousePointerClick} label="Button" run={() => ask('button', { href: '', label: '' })} />
        </>
      )}
      <DropdownMenu
        align="start"
        trigger={
          <button type="button" className={buttonStyle({ variant: 'ghost', size: 'sm' })} disabled={!editor}>
            <Braces aria-hidden className="size-4" />
            <span className={clsx(kind === 'line' && 'max-sm:sr-only')}>Insert field</span>
          </button>
        }
      >
        {fields.map((field) => (
          <MenuItem
            key={field}
            // The menu gives the focus back to its button; the text gets it instead.
            onSelect={() => setTimeout(() => insertField(field))}
          >
            <span className="flex-1">{fieldLabel(field)}</span>
            <span className="text-muted text-xs">{lackNote(field, coverage)}</span>
          </MenuItem>
        ))}
      </DropdownMenu>
    </div>
  )
}

function lackNote(field: string, { people, lacking }: Coverage): string {
  const count = lacking.get(field) ?? 0
  return people === 0 || count === 0 ? '' : `${count.toLocaleString('en')} of ${people.toLocaleString('en')} have none`
}

interface ToolProps {
  icon: LucideIcon
  label: string
  keys?: string
  isOn?: boolean
  run: () => void
}

function Tool({ icon: Icon, label, keys, isOn, run }: ToolProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      aria-keyshortcuts={keys}
      onClick={run}
      className={clsx(
        buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' }),
        isOn && 'bg-accent-soft text-accent-text',
      )}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  )
}
