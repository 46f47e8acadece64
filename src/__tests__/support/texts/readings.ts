import { createHash } from 'node:crypto'

/** What a reader makes of a file: its rows (long ones as a hash), how many records it refused, or why it refused it all. */
export type FileReading = { rows: string[][] | string; refused: number } | { error: string }

const LENGTH_KEPT_MAX = 1_500

/** Cells without the spaces around them, rows with something in them, as an import takes them. */
export function readingOf(rows: readonly (readonly string[])[], refused = 0): FileReading {
  const said = rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ''))
  const written = JSON.stringify(said)
  if (written.length <= LENGTH_KEPT_MAX) return { rows: said, refused }
  return { rows: `${said.length} rows, ${createHash('sha256').update(written).digest('hex').slice(0, 32)}`, refused }
}
