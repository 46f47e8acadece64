/** "1 email", "1,204 emails": a number with separators and the word that fits it. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

export const people = (number: number) => counted(number, 'person', 'people')
