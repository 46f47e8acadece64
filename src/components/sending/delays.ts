const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** "1m, 5m, 1h" as seconds; null where something in it is no delay. A number alone is minutes. */
export function delaysIn(text: string): number[] | null {
  const parts = text.split(/[,;\s]+/).filter(Boolean)
  const seconds = parts.map((part) => {
    const [, number, unit = 'm'] = /^(\d{1,6})(s|m|h|d)?$/i.exec(part) ?? []
    return number === undefined ? null : Number(number) * (UNITS[unit.toLowerCase()] ?? 60)
  })
  return seconds.every((one) => one !== null) ? seconds : null
}

/** "5 m", "1 h 30 m": the largest units that leave nothing out. */
export function delayInWords(seconds: number): string {
  const words: string[] = []
  let left = seconds
  for (const [unit, size] of Object.entries(UNITS).reverse()) {
    const count = Math.floor(left / size)
    if (count > 0) words.push(`${count} ${unit}`)
    left -= count * size
  }
  return words.join(' ') || '0 s'
}

/** As `delaysIn` reads them: each in the largest unit that it is a whole number of. */
export function delaysAsText(seconds: readonly number[]): string {
  const units = Object.entries(UNITS).reverse()
  return seconds
    .map((one) => {
      const [unit, size] = units.find(([, each]) => one > 0 && one % each === 0) ?? ['s', 1]
      return `${one / size}${unit}`
    })
    .join(', ')
}
