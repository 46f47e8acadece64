import type { ReactNode } from 'react'

export interface DataColumn<Row> {
  key: string
  label: string
  cell: (row: Row) => ReactNode
  /** Of the table's width, in pixels at least; what is left is shared in proportion. */
  widthPx: number
  /** The value that names the row. */
  isRowHeader?: boolean
  /** Shown on phones, below the one that names the row. The others are on the row's own page. */
  isOnPhones?: boolean
  /** Nothing of it is cut: it takes as many lines as it needs. */
  isWhole?: boolean
  align?: 'start' | 'end'
}
