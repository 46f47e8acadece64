/** The fields that every person has, as pages call them. */
const FIELD_WORD: ReadonlyMap<string, string> = new Map([
  ['firstName', 'first name'],
  ['lastName', 'last name'],
  ['company', 'company'],
  ['timeZone', 'time zone'],
])

export const STANDARD_FIELDS = [...FIELD_WORD.keys()]

/** A field of the workspace's own goes by its name. */
export function fieldWord(name: string): string {
  return FIELD_WORD.get(name) ?? name
}

export function fieldLabel(name: string): string {
  const word = fieldWord(name)
  return word.charAt(0).toUpperCase() + word.slice(1)
}
