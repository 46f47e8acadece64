'use client'

import { Settings2 } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { DropdownMenu, MenuChoice } from '#components/ui/overlay/dropdown-menu.tsx'
import { ENCODINGS } from '#lib/audience/import/encodings.ts'
import type { ImportChoices } from './import-draft.ts'
import type { Preview } from './import-form.ts'

interface ReadAsProps {
  preview: Preview
  onReadAs: (choice: Pick<ImportChoices, 'encoding' | 'delimiter'>) => void
}

const DELIMITERS = [
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Vertical bar' },
]

/** How the file is read, as found out or as chosen; another choice shows the first rows anew. */
export function ReadAs({ preview, onReadAs }: ReadAsProps) {
  const { encoding, delimiter } = preview
  const delimiterWord = DELIMITERS.find(({ value }) => value === delimiter)?.label ?? delimiter
  return (
    <DropdownMenu
      trigger={
        <Button size="sm" icon={<Settings2 />}>
          Read as {encoding.toUpperCase()}, {delimiterWord.toLowerCase()}
        </Button>
      }
    >
      <MenuChoice
        label="Between the cells"
        value={delimiter}
        options={DELIMITERS}
        onValueChange={(next) => onReadAs({ encoding: chosenEncoding(preview), delimiter: next })}
      />
      <MenuChoice
        label="Encoding: choose the one in which names look right"
        value={encoding}
        options={ENCODINGS.map((value) => ({ value, label: value }))}
        onValueChange={(next) => onReadAs({ encoding: next, delimiter: chosenDelimiter(preview) })}
      />
    </DropdownMenu>
  )
}

/** What was found out is found out again, from the whole file. */
const chosenEncoding = ({ encoding, encodingBy }: Preview) => (encodingBy === 'chosen' ? encoding : undefined)
const chosenDelimiter = ({ delimiter, delimiterBy }: Preview) => (delimiterBy === 'chosen' ? delimiter : undefined)
