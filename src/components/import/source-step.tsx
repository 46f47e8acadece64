'use client'

import clsx from 'clsx'
import { Upload } from 'lucide-react'
import { type DragEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { controlStyle } from '#components/ui/control/control-style.ts'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Card } from '../ui/card.tsx'

interface SourceStepProps {
  problem: string | null
  isReading: boolean
  /** What was begun before is still looked for, and may take this place. */
  isBusy: boolean
  onFile: (file: Blob, name: string) => void
}

/** A file that is dropped or chosen, or lines that are pasted. */
export function SourceStep({ problem, isReading, isBusy, onFile }: SourceStepProps) {
  const [isOver, setIsOver] = useState(false)
  const [pasted, setPasted] = useState('')
  const inputId = useId()
  const input = useRef<HTMLInputElement>(null)

  function takeChosen() {
    const file = input.current?.files?.[0]
    if (!input.current || !file) return
    // So that the same file can be chosen once more.
    input.current.value = ''
    onFile(file, file.name)
  }

  // What was chosen while the page was only drawn lies in the field, and no event tells of it any more.
  const takeChosenBefore = useEffectEvent(takeChosen)
  useEffect(() => takeChosenBefore(), [])

  function onDrop(event: DragEvent) {
    event.preventDefault()
    setIsOver(false)
    const file = event.dataTransfer.files[0]
    if (file) onFile(file, file.name)
  }

  return (
    <div data-step="source" aria-busy={isBusy || undefined} className="flex flex-col gap-4">
      <FormError message={problem} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="A file" description="CSV as Excel, Google Sheets or a database writes it, up to 50 MB.">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the button inside is for everybody */}
          <div
            onDragOver={(event) => {
              event.preventDefault()
              setIsOver(true)
            }}
            onDragLeave={() => setIsOver(false)}
            onDrop={onDrop}
            className={clsx(
              'flex min-h-44 flex-col items-center justify-center gap-3 rounded-lg border border-dashed px-4 py-8 text-center',
              isOver ? 'border-accent bg-accent-soft' : 'border-control',
            )}
          >
            <Upload aria-hidden className="size-6 text-muted" />
            <p className="text-muted text-sm">Drop a file here, or</p>
            <label
              htmlFor={inputId}
              className="inline-flex h-10 cursor-pointer items-center rounded-md bg-accent px-3.5 font-medium text-on-accent text-sm shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 hover:bg-accent-hover lg:h-8"
            >
              {isReading ? 'Reading the file…' : 'Choose a file'}
              <input
                ref={input}
                id={inputId}
                type="file"
                accept=".csv,.tsv,.txt,text/csv,text/plain"
                className="sr-only"
                onChange={takeChosen}
              />
            </label>
          </div>
        </Card>
        <Card title="Or paste" description="Rows out of a spreadsheet, or addresses, one on each line.">
          <PasteArea value={pasted} onChange={setPasted} />
          <Button
            className="mt-3"
            disabled={pasted.trim() === ''}
            isLoading={isReading && pasted.trim() !== ''}
            onClick={() => onFile(new Blob([`${pasted.trim()}\n`], { type: 'text/csv' }), 'pasted.csv')}
          >
            Look at these rows
          </Button>
        </Card>
      </div>
    </div>
  )
}

function PasteArea({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <textarea
      aria-label="Rows or addresses"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      rows={6}
      spellCheck={false}
      placeholder={'email\tfirst name\nada@example.com\tAda'}
      className={clsx(controlStyle, 'min-h-36 py-2 font-mono text-[0.8125rem]!')}
    />
  )
}
