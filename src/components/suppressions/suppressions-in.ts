/**
 * The addresses and domains in a text: of each line the cell that is one, whatever stands beside it; a line without any
 * is taken whole, so that it is told of and not passed over. A head line goes.
 */
export function suppressionsIn(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/^\uFEFF/, '').trim())
  const found = lines.filter((line) => line !== '').map(pick)
  const first = found[0]
  const withoutHead = first !== undefined && !first.includes('.') ? found.slice(1) : found
  return [...new Set(withoutHead)]
}

function pick(line: string): string {
  const cells = line.split(/[,;\t|]/).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  )
  return (
    cells.find((cell) => /^\S+@\S+\.\S+$/.test(cell)) ?? cells.find((cell) => /^@?[^\s@]+\.[^\s@]+$/.test(cell)) ?? line
  )
}
