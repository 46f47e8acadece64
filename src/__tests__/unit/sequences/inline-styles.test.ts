import { describe, expect, test } from 'vitest'
import { asSent, inlineStyles } from '#lib/sequences/inline-styles.ts'
import { HOSTILE_STYLES } from '#tests/support/texts/hostile-texts.ts'

const SHEET = '<style>p { color: #123456 } @media (width < 480px) { p { color: red } }</style>'

describe('styles are written at the tags that they meet', () => {
  test('and what can only stand in a style sheet stays there', () => {
    const sent = asSent(`${SHEET}<p>Hello</p>`)
    expect(sent).toContain('<p style="color: #123456;">Hello</p>')
    expect(sent).toMatch(/@media \(width < 480px\)[^/]*color: red/)
  })

  test('fields are passed over as they were written: with fallbacks, in links, beside each other', () => {
    const fields = ['{{firstName | "a \\"b\\" & <c>"}}', '{{company}}{{custom.city}}']
    const html = `${SHEET}<p>${fields[0]}</p><a href="https://x.example/{{email}}?a=1&amp;b=2">${fields[1]}</a>`
    const sent = asSent(html)
    for (const part of [...fields, 'https://x.example/{{email}}?a=1&amp;b=2', 'style="color: #123456;"'])
      expect(sent).toContain(part)
  })

  test('comments that only Outlook reads stay', () => {
    const html = `${SHEET}<!--[if mso]><table><tr><td><![endif]--><p>Hi</p><!--[if mso]></td></tr></table><![endif]-->`
    expect(asSent(html)).toContain('<!--[if mso]><table><tr><td><![endif]-->')
  })
})

describe('what authors do write costs little enough', () => {
  const rows = '<tr><td>x</td></tr>'.repeat(60)
  test.each([
    ['every second row', 'tr:nth-child(2n) td{color:red}', `<table>${rows}</table>`],
    ['what follows a heading, but for one', 'h1 ~ p:not(.last){color:red}', `<h1>x</h1>${'<p>y</p>'.repeat(60)}`],
    [
      'variables',
      `:root{--ink:red} ${Array.from({ length: 30 }, (_, at) => `.c${at} p{color:var(--ink)}`).join(' ')}`,
      '<html><div class="c7"><p>x</p></div></html>',
    ],
    ['braces in a comment and in a text', '/* p { a { } */ p{color:red} q{content:"}{"}', '<p>x</p>'],
    [
      'a newsletter',
      `${'.a td p{color:red;font-size:12px} '.repeat(60)}`,
      `<div class="a">${'<table><tr><td><p>x</p></td></tr></table>'.repeat(60)}</div>`,
    ],
  ])('%s', (_what, sheet, html) => {
    expect(inlineStyles(`<style>${sheet}</style>${html}`)).toMatch(/style="(?:[^"]+ )?color: red/)
  })
})

describe('nothing is done where a hundred characters would take hours', () => {
  const QUICK = ['code that never closes', 'code that closes', 'comments that never close', 'as many tags as may be']
  test.each(Object.entries(HOSTILE_STYLES).filter(([name]) => !QUICK.includes(name)))('%s', (_name, html) => {
    expect(inlineStyles(html)).toBeNull()
  })
})

describe('nothing is done', () => {
  test.each([
    ['without a style sheet', '<p style="color:red">Hello {{firstName}}</p>'],
    ['where a text cannot be read', `${SHEET}<p>{{nick}}</p>`],
    ['where the author uses the letters that stand for fields', `${SHEET}<p>\u{F0001} {{firstName}}</p>`],
    [
      'where a list of selectors would take too long',
      `<style>${'a b, '.repeat(2_000)} p {}</style>${'<p>x</p>'.repeat(50)}`,
    ],
    ['where it would take too long', `<style>${'a b c {}'.repeat(2_000)}</style>${'<p>x</p>'.repeat(200)}`],
  ])('%s', (_when, html) => {
    expect(inlineStyles(html)).toBeNull()
    expect(asSent(html)).toBe(html)
  })
})
