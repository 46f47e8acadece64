import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const CSS = readFileSync(new URL('../../../app/globals.css', import.meta.url), 'utf8')
const TONES = ['accent', 'success', 'warning', 'danger', 'info']
const GROUNDS = ['canvas', 'surface', 'raised']

/** WCAG AA: text, and the edge or the shape of what one has to see. */
const TEXT = 4.5
const SHAPE = 3

const PAIRS: [foreground: string, ground: string, ratio: number][] = [
  ...[...GROUNDS, 'sunken'].flatMap((ground): [string, string, number][] => [
    ['text', ground, TEXT],
    ['muted', ground, TEXT],
  ]),
  ...TONES.flatMap((tone): [string, string, number][] => [
    [`${tone}-text`, `${tone}-soft`, TEXT],
    ['text', `${tone}-soft`, TEXT],
    ...GROUNDS.map((ground): [string, string, number] => [`${tone}-text`, ground, TEXT]),
    [tone, 'surface', SHAPE],
  ]),
  ['on-accent', 'accent', TEXT],
  ['on-accent', 'accent-hover', TEXT],
  ['on-accent', 'danger', TEXT],
  ['on-accent', 'danger-hover', TEXT],
  ...GROUNDS.map((ground): [string, string, number] => ['control', ground, SHAPE]),
  ['canvas', 'text', TEXT],
]

test.each(PAIRS)('%s on %s has a contrast of at least %d, light and dark', (foreground, ground, ratio) => {
  for (const theme of ['light', 'dark'] as const) {
    expect(contrast(colour(foreground, theme), colour(ground, theme)), theme).toBeGreaterThanOrEqual(ratio)
  }
})

function colour(name: string, theme: 'light' | 'dark'): string {
  const match = CSS.match(new RegExp(`--color-${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`))
  const value = match?.[theme === 'light' ? 1 : 2]
  if (!value) throw new Error(`globals.css gives no colour ${name} for ${theme}`)
  return value
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}
