/** As a chip says it. */
const LABEL: Record<string, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  company: 'Company',
  email: 'Address',
  senderName: 'Sender’s name',
  senderAddress: 'Sender’s address',
}

/** "First name"; of an own field, its name. */
export function fieldLabel(field: string): string {
  return LABEL[field] ?? field.replace(/^custom\./, '')
}

export const chipLabel = (field: string, fallback: string | null) =>
  fallback === null ? fieldLabel(field) : `${fieldLabel(field)} | ${fallback}`

export type Coverage = {
  people: number
  /** By field, how many of the people have nothing there. */
  lacking: ReadonlyMap<string, number>
}

/** "9 of 412 people have no company": of a field without a fallback that anybody lacks, or that nobody has. */
export function lackSentence(field: string, { people, lacking }: Coverage): string | null {
  if (people === 0) return null
  const count = field.startsWith('sender') ? 0 : (lacking.get(field) ?? people)
  if (count === 0) return null
  const name = fieldLabel(field).toLowerCase()
  const who = count === people ? `None of ${people.toLocaleString('en')} people has` : `${shown(count, people)}`
  return `${who} ${count === people ? `a ${name}` : `no ${name}`}: give it a fallback, or they wait until it is filled in.`
}

const shown = (count: number, people: number) =>
  `${count.toLocaleString('en')} of ${people.toLocaleString('en')} people ${count === 1 ? 'has' : 'have'}`
