import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { addressOf } from '#tests/support/browser/pages.ts'
import { MEASURES_ITS_SCREEN } from '#tests/support/scenes/scene.ts'
import { importsOf, type SourceFile, sourceFiles } from '#tests/support/source-files.ts'

const MEASURES =
  /\b(matchMedia|inner(Width|Height)|(client|offset|scroll)(Width|Height)|getBoundingClientRect|ResizeObserver|visualViewport|useVirtualizer)\b/

/** What looks at the screen once, as it opens: pages of it are opened anew on each screen by journeys/pages. */
const AS_IT_OPENS = ['src/components/queue/panel/email-panel.tsx', 'src/components/ui/tab-links.tsx']

/** What goes on looking, or looks when a hand is at it. */
const AT_ANY_TIME = [
  'src/components/reference/reference-page.ts', // asks for the colours alone, and has a journey of its own
  'src/components/sending/parts/week-grid.tsx', // while it is drawn over
  'src/components/sequences/preview/preview-canvas.tsx', // watches its size
  'src/components/ui/data-table/data-table.tsx', // watches its size
]

const files = new Map([...sourceFiles('src/app'), ...sourceFiles('src/components')].map((file) => [file.path, file]))

test('what measures the screen is known, since one opened page stands for several screens', () => {
  const measuring = [...files.values()].filter(({ text }) => MEASURES.test(text)).map(({ path }) => path)
  expect(measuring.sort()).toEqual([...AS_IT_OPENS, ...AT_ANY_TIME].sort())
})

test('pages that measure their screen as they open are opened anew on each', () => {
  const pages = [...files.values()].filter(({ path }) => path.endsWith('/page.tsx'))
  const measuring = pages.filter((page) => AS_IT_OPENS.some((path) => reached(page).has(path)))
  expect(measuring.map(({ path }) => addressOf(path)).sort()).toEqual([...MEASURES_ITS_SCREEN].sort())
  const layouts = [...files.values()].filter(({ path }) => path.endsWith('/layout.tsx'))
  for (const layout of layouts) for (const path of AS_IT_OPENS) expect(reached(layout)).not.toContain(path)
})

/** Everything that a file leads to, what is fetched on demand included. */
function reached(from: SourceFile, found = new Set<string>()): Set<string> {
  for (const target of importsOf(from)) {
    const path = target.startsWith('#') ? `src/${target.slice(1)}` : join(dirname(from.path), target)
    const file = files.get(path)
    if (!file || found.has(path)) continue
    found.add(path)
    reached(file, found)
  }
  return found
}
