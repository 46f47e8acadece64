export type LineAndColumn = { line: number; column: number }

/** Where characters of a text stand, counted from 1. The lines are counted once, however often it is asked. */
export function placesIn(text: string): (at: number) => LineAndColumn {
  let starts: number[] | undefined
  return (at) => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
