'use client'

import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Callout } from '../ui/callout.tsx'

/** Asks for a file that this browser does not have, or has no longer. */
export function ChooseAgain({ sentence, onFile }: { sentence: string; onFile: (file: Blob, name: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Callout
      className="mt-3"
      actions={
        <>
          <Button onClick={() => input.current?.click()}>Choose the file</Button>
          <input
            ref={input}
            type="file"
            aria-label="The same file again"
            tabIndex={-1}
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            className="sr-only"
            onChange={(event) => {
              const file = event.target.files?.[0]
              event.target.value = ''
              if (file) onFile(file, file.name)
            }}
          />
        </>
      }
    >
      {sentence}
    </Callout>
  )
}
