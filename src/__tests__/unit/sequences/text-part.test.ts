import { expect, test } from 'vitest'
import { compileHtml } from '#lib/sequences/compile-html.ts'

function textOf(html: string): string {
  const compiled = compileHtml(html)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  return compiled.html.text().join('')
}

test('cells of a table stand apart, and its rows on lines of their own', () => {
  const html =
    '<table><thead><tr><th>What</th><th>Price</th></tr></thead><tbody><tr><td>Pipes</td><td>12 €</td></tr><tr><td><b>Nails</b></td><td>3 €</td></tr></tbody></table>'
  expect(textOf(html)).toBe('What Price\nPipes 12 €\nNails 3 €')
})

test('a table that only lays out adds nothing', () => {
  const html =
    '<table><tr><td><table><tr><td><p>Dear Ann,</p><p>Hello.</p></td></tr></table></td></tr></table><p>Bye</p>'
  expect(textOf(html)).toBe('Dear Ann,\n\nHello.\n\nBye')
})

test('columns of paragraphs are paragraphs', () => {
  expect(textOf('<table><tr><td><p>Left</p></td><td><p>Right</p></td></tr></table>')).toBe('Left\n\nRight')
})

test('an empty cell keeps its neighbours apart', () => {
  expect(textOf('<table><tr><td>a</td><td></td><td>b</td></tr></table>')).toBe('a b')
})
