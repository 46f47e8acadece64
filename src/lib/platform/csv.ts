/** One line of a CSV file, as RFC 4180 has it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/**
 * A spreadsheet runs a cell that begins like a formula, in some countries also by the signs of full width, and past what
 * cannot be seen; the apostrophe makes it a text again.
 */
function csvCell(cell: string): string {
  const isLikeFormula = /^(?:[\t\r]|[\s\p{C}]*[=+\-@＝＋－＠﹢﹣﹦﹫])/u.test(cell)
  const harmless = isLikeFormula ? `'${cell}` : cell
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
