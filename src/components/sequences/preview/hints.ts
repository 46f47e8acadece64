import { linksOf } from './mail-links.ts'

type Mail = { subject: string; html: string; raw: string }

/** Gmail cuts a mail off there, and the way out with it. */
const CLIPPED_BYTES = 102_000
const SUBJECT_LENGTH_MAX = 60

/** What an experienced writer would still mend. Nothing of it keeps a mail from being sent. */
export function hintsFor({ subject, html, raw }: Mail): string[] {
  const hints: string[] = []
  const letters = subject.replace(/[^\p{L}]/gu, '')
  if (letters.length >= 6 && letters === letters.toUpperCase() && letters !== letters.toLowerCase())
    hints.push('The subject is all capitals, which reads as shouting and counts against you in spam filters.')
  if (subject.length > SUBJECT_LENGTH_MAX)
    hints.push(`The subject has ${subject.length} characters; most readers see the first 40 to ${SUBJECT_LENGTH_MAX}.`)
  if (/!{2,}|\${2,}/.test(subject)) hints.push('Repeated marks in the subject count against you in spam filters.')
  if (html !== '') {
    for (const { problem, words, href } of linksOf(html)) if (problem) hints.push(`Link “${words || href}”: ${problem}`)
    const { body } = new DOMParser().parseFromString(html, 'text/html')
    const unnamed = [...body.querySelectorAll('img')].filter((picture) => !picture.getAttribute('alt')?.trim()).length
    if (unnamed > 0)
      hints.push(
        `${unnamed === 1 ? 'A picture says' : `${unnamed} pictures say`} nothing to readers who do not see it: write what it shows.`,
      )
  }
  if (raw.length > CLIPPED_BYTES)
    hints.push(`The message has ${Math.round(raw.length / 1000)} kB; Gmail cuts off what is beyond 102 kB.`)
  return hints
}
