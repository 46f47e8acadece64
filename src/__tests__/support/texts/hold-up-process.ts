import { inlineStyles } from '#lib/sequences/inline-styles.ts'
import { compileStep, renderStep } from '#lib/sequences/render.ts'
import { HOSTILE_STYLES, HOSTILE_TEXTS } from './hostile-texts.ts'

/**
 * Prints for each hostile text how long at most nothing else had its turn in this process, in milliseconds of this process
 * and not of the clock: what others do on the machine must not count.
 */
const FOOTER = { postalAddress: '1 High Street', unsubscribeUrl: 'https://example.com/u/x' }
const VALUES = new Map([
  ['email', 'ann@example.com'],
  ['company', 'Acme'],
])

// A server has read texts before the hostile one comes.
const ALL = { ...HOSTILE_TEXTS, ...HOSTILE_STYLES }
for (const text of Object.values(HOSTILE_TEXTS)) heldUpFor(text.slice(0, 20_000))
for (let times = 0; times < 20; times += 1) heldUpFor('<style>b{color:red}</style><b>x</b>'.repeat(20))

/** A collection of garbage falls into one attempt and not into three. */
const ATTEMPTS = 3

const longest: Record<string, number> = {}
for (const [name, text] of Object.entries(ALL)) {
  // Another text each time, since a text that is known is not read again.
  const attempts = Array.from({ length: ATTEMPTS }, (_, attempt) => heldUpFor(`${text}${' '.repeat(attempt)}`))
  longest[name] = Math.round(Math.min(...attempts))
}
process.stdout.write(JSON.stringify(longest))

/** As requests do: it is read when it is saved, its styles are written at its tags, and it is written when it is looked at. */
function heldUpFor(text: string): number {
  const compiled = compileStep({ subject: 'Hello', bodyText: '', bodyHtml: text })
  return Math.max(
    cpuTimeOf(() => compileStep({ subject: 'Hello', bodyText: '', bodyHtml: `${text}\n` })),
    cpuTimeOf(() => inlineStyles(text)),
    cpuTimeOf(() => compiled.ok && renderStep(compiled.step, VALUES, FOOTER)),
  )
}

function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
