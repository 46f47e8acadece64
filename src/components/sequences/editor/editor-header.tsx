'use client'

import clsx from 'clsx'
import { ChevronLeft, Eye, History, Send } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { type SaveState, SaveStateNote } from '#components/form/save-state.tsx'
import { IntentLink } from '#components/shell/intent-link.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'

interface EditorHeaderProps {
  /** The list above it. */
  back: { href: string; label: string }
  /** "sequence". */
  what: string
  name: string
  /** Just made: naming it comes first. */
  isNew: boolean
  badge?: ReactNode
  saveState: SaveState
  onRename: (name: string) => void
  /** Absent where none is kept. */
  onHistory?: () => void
  /** Absent where there is nothing to send. */
  onTest: (() => void) | undefined
  /** Absent where it saves itself. */
  onSave: (() => void) | undefined
  /** Three dots where something is shown first. */
  saveLabel?: string
  maySave: boolean
}

/** The name is written where it stands; the heading of the page says the same to a screen reader. */
export function EditorHeader({
  back,
  what,
  name,
  isNew,
  badge,
  saveState,
  onRename,
  onHistory,
  onTest,
  onSave,
  saveLabel = 'Save…',
  maySave,
}: EditorHeaderProps) {
  const nameField = useRef<HTMLInputElement>(null)
  const wasNew = useRef(isNew)
  useEffect(() => {
    if (wasNew.current) nameField.current?.select()
  }, [])
  return (
    <header className="mb-4">
      <IntentLink
        href={back.href}
        className="-ml-1 mb-1 inline-flex h-8 items-center gap-1 rounded-md pr-1.5 text-[0.8125rem] text-muted hover:text-text lg:h-6"
      >
        <ChevronLeft aria-hidden className="size-4" />
        {back.label}
      </IntentLink>
      <h1 className="sr-only">{name || `A ${what} without a name`}</h1>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <input
          ref={nameField}
          title={name}
          aria-label={`Name of the ${what}`}
          value={name}
          maxLength={100}
          onChange={(event) => onRename(event.target.value)}
          autoComplete="off"
          className="-ml-2 h-10 min-w-0 flex-1 basis-64 rounded-md border border-transparent bg-transparent px-2 text-ellipsis font-semibold text-xl tracking-tight hover:border-control focus:border-control"
        />
        {badge}
        <SaveStateNote state={saveState} />
        <div className="flex flex-wrap gap-2">
          <a href="#preview" className={clsx(buttonStyle(), 'xl:hidden')}>
            <Eye aria-hidden className="size-4" />
            Preview
          </a>
          {onHistory && (
            <Button icon={<History />} onClick={onHistory}>
              History
            </Button>
          )}
          <Button icon={<Send />} onClick={onTest} disabled={!onTest}>
            Send a test…
          </Button>
          {onSave && (
            <Button variant="primary" onClick={onSave} disabled={!maySave}>
              {saveLabel}
            </Button>
          )}
        </div>
      </div>
    </header>
  )
}
