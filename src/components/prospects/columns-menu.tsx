'use client'

import { Columns3 } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { DropdownMenu, MenuTick } from '#components/ui/overlay/dropdown-menu.tsx'
import { keepChosenColumns } from './chosen-columns.ts'
import type { ColumnChoice } from './prospect-columns.tsx'

interface ColumnsMenuProps {
  choices: readonly ColumnChoice[]
  chosen: readonly string[]
  onChoose: (keys: readonly string[]) => void
}

export function ColumnsMenu({ choices, chosen, onChoose }: ColumnsMenuProps) {
  function tick(key: string, isTicked: boolean) {
    const next = isTicked ? [...chosen, key] : chosen.filter((other) => other !== key)
    onChoose(next)
    keepChosenColumns(next)
  }
  return (
    <DropdownMenu trigger={<Button icon={<Columns3 />}>Columns</Button>}>
      {choices.map(({ key, label }) => (
        <MenuTick key={key} label={label} isTicked={chosen.includes(key)} onTick={(isTicked) => tick(key, isTicked)} />
      ))}
    </DropdownMenu>
  )
}
