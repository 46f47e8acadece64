import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { compileStep, renderStep } from '#lib/sequences/render.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

/** Prints for each hostile text how long at most nothing else had its turn in this process, in milliseconds. */
const FOOTER = { postalAddress: '1 High Street', unsubscribeUrl: 'https://example.com/u/x' }
const VALUES = new Map([
  ['email', 'ann@example.com'],
  ['company', 'Acme'],
])

// A server has read texts before the hostile one comes.
for (const text of Object.values(HOSTILE_TEXTS)) await turn(text.slice(0, 20_000))

const longest: Record<string, number> = {}
for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await sleep(5)
  await turn(text)
  delay.disable()
  longest[name] = Math.round(delay.max / 1e6)
}
process.stdout.write(JSON.stringify(longest))

/** As a request does: it is read when it is saved, and written when it is looked at. */
async function turn(text: string): Promise<void> {
  const compiled = compileStep({ subject: 'Hello', bodyText: '', bodyHtml: text })
  await sleep(5)
  if (compiled.ok) renderStep(compiled.step, VALUES, FOOTER)
  await sleep(5)
}
