const NAME_LENGTH_MAX = 100
const COPY = ' (copy)'

/** "Spring (copy)", never longer than a name may be, and never cut through a character that is two units long. */
export function nameOfCopy(name: string): string {
  return `${name.slice(0, NAME_LENGTH_MAX - COPY.length).replace(/[\uD800-\uDBFF]$/, '')}${COPY}`
}
