/** One line of a CSV file, as RFC 4180 has it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** A spreadsheet runs a cell that begins like a formula; the apostrophe makes it a text again. */
function csvCell(cell: string): string {
  const harmless = /^[\s]*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
