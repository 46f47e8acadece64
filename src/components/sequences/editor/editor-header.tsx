'use client'

import clsx from 'clsx'
import { ChevronLeft, Eye, History, Send } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { type SaveState, SaveStateNote } from '#components/form/save-state.tsx'
import { IntentLink } from '#components/shell/intent-link.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'

interface EditorHeaderProps {
  name: string
  /** Just made: naming it comes first. */
  isNew: boolean
  isLaunched: boolean
  saveState: SaveState
  onRename: (name: string) => void
  onHistory: () => void
  /** Absent where there is no step to send. */
  onTest: (() => void) | undefined
  /** Absent where it saves itself. */
  onSave: (() => void) | undefined
  maySave: boolean
}

/** The name is written where it stands; the heading of the page says the same to a screen reader. */
export function EditorHeader({
  name,
  isNew,
  isLaunched,
  saveState,
  onRename,
  onHistory,
  onTest,
  onSave,
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
        href="/sequences"
        className="-ml-1 mb-1 inline-flex h-8 items-center gap-1 rounded-md pr-1.5 text-[0.8125rem] text-muted hover:text-text lg:h-6"
      >
        <ChevronLeft aria-hidden className="size-4" />
        Sequences
      </IntentLink>
      <h1 className="sr-only">{name || 'A sequence without a name'}</h1>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <input
          ref={nameField}
          title={name}
          aria-label="Name of the sequence"
          value={name}
          maxLength={100}
          onChange={(event) => onRename(event.target.value)}
          autoComplete="off"
          className="-ml-2 h-10 min-w-0 flex-1 basis-64 rounded-md border border-transparent bg-transparent px-2 text-ellipsis font-semibold text-xl tracking-tight hover:border-control focus:border-control"
        />
        <Badge tone={isLaunched ? 'accent' : 'neutral'}>{isLaunched ? 'Launched' : 'Not launched'}</Badge>
        <SaveStateNote state={saveState} />
        <div className="flex flex-wrap gap-2">
          <a href="#preview" className={clsx(buttonStyle(), 'xl:hidden')}>
            <Eye aria-hidden className="size-4" />
            Preview
          </a>
          <Button icon={<History />} onClick={onHistory}>
            History
          </Button>
          <Button icon={<Send />} onClick={onTest} disabled={!onTest}>
            Send a test…
          </Button>
          {onSave && (
            <Button variant="primary" onClick={onSave} disabled={!maySave}>
              Save…
            </Button>
          )}
        </div>
      </div>
    </header>
  )
}
