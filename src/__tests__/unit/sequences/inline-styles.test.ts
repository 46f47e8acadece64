import { describe, expect, test } from 'vitest'
import { asSent, inlineStyles } from '#lib/sequences/inline-styles.ts'

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
