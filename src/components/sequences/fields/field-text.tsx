import type { ReactNode } from 'react'
import { fieldsIn } from '#lib/sequences/fields-in.ts'
import { CHIP } from './chip-style.ts'
import { chipLabel } from './field-words.ts'

/** A text to be read where it is not edited: its fields are chips, as in the editor. */
export function FieldText({ text }: { text: string }) {
  const pieces: ReactNode[] = []
  let at = 0
  for (const { start, end, field, fallback } of fieldsIn(text)) {
    pieces.push(
      text.slice(at, start),
      <span key={start} className={CHIP}>
        {chipLabel(field, fallback)}
      </span>,
    )
    at = end
  }
  return <>{[...pieces, text.slice(at)]}</>
}
