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

/** The same where a line begins with it: texts name an own one by its exact letters, so it keeps them. */
export function fieldLabel(name: string): string {
  const word = FIELD_WORD.get(name)
  return word ? word.charAt(0).toUpperCase() + word.slice(1) : name
}
