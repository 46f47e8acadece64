import { describe, expect, test } from 'vitest'
import { htmlOfText, readRich, textOfHtml } from '#components/sequences/fields/read-rich.ts'
import { type RichNode, richHtml } from '#components/sequences/fields/rich-html.ts'

const text = (words: string, ...marks: RichNode['marks'] & object): RichNode => ({ type: 'text', text: words, marks })
const paragraph = (...content: RichNode[]): RichNode => ({ type: 'paragraph', content })
const doc = (...content: RichNode[]): RichNode => ({ type: 'doc', content })

describe('what leaves the editor of rich text', () => {
  test('is written by our own list of tags, with fields as they are named', () => {
    const field: RichNode = { type: 'mergeField', attrs: { field: 'firstName', fallback: 'a "b" & <c>' } }
    expect(
      richHtml(
        doc(paragraph(text('Hi '), field, text('!', { type: 'bold' }, { type: 'italic' })), paragraph(), {
          type: 'bulletList',
          content: [{ type: 'listItem', content: [paragraph(text('One & only'))] }],
        }),
      ),
    ).toBe(
      '<p>Hi {{firstName | "a \\"b\\" & <c>"}}<strong><em>!</em></strong></p>\n<p><br></p>\n<ul>\n<li>One &amp; only</li>\n</ul>',
    )
  })

  test('holds no script, whatever the editor was made to hold', () => {
    const html = richHtml(
      doc(
        paragraph(text('<script>1</script>')),
        paragraph(text('x', { type: 'link', attrs: { href: 'javascript:alert(1)' } })),
        paragraph(text('y', { type: 'link', attrs: { href: 'https://a.example/"onclick="x' } })),
        paragraph({ type: 'mailImage', attrs: { src: 'data:text/html,1', alt: 'a' } }),
        paragraph({ type: 'mailImage', attrs: { src: 'https://a.example/p.png', alt: '"><b>' } }),
        { type: 'script', content: [text('z')] },
      ),
    )
    expect(html).not.toMatch(/<script|javascript:|data:|"onclick|<b>/)
    expect(html).toContain('href="https://a.example/&quot;onclick=&quot;x"')
    expect(html).toContain('alt="&quot;&gt;&lt;b&gt;"')
    expect(html).toContain('z')
  })

  test('keeps a field in an address readable for what fills it in', () => {
    const href = 'https://a.example/{{company | "x y"}}?a=1&b=2'
    expect(richHtml(doc(paragraph(text('Go', { type: 'link', attrs: { href } }))))).toBe(
      '<p><a href="https://a.example/{{company | "x y"}}?a=1&amp;b=2">Go</a></p>',
    )
  })
})

describe('what comes into it', () => {
  test('says in words what it cannot hold, and keeps the rest', () => {
    const { html, lost } = readRich(
      '<style>p{}</style><h1>Dear {{firstName}}</h1><table><tr><td onclick="x">cell</td></tr></table><p>a<!-- c --></p><script>1</script>',
    )
    expect(lost).toEqual(['comments', 'headings', 'scripts', 'style sheets', 'tables'])
    expect(html).toBe('Dear <span data-field="firstName"></span>cell<p>a</p>')
  })

  test('of what it wrote itself loses nothing', () => {
    const written =
      '<p>Hi {{firstName | "x > y"}}, <strong><em>you</em></strong><br>there</p>\n<p><br></p>\n<ol>\n<li>One</li>\n</ol>\n' +
      '<p><a href="https://a.example/{{email}}">Go</a> <img src="https://a.example/p.png" alt="A fair" style="max-width:100%;height:auto"></p>'
    const { html, lost } = readRich(written)
    expect(lost).toEqual([])
    expect(html).toContain('<span data-field="firstName" data-fallback="x')
    expect(html).toContain('<p></p><ol><li>One</li></ol>')
    expect(html).toContain('href="https://a.example/{{email}}"')
  })

  test('text becomes HTML and text again, line by line', () => {
    const plain = 'Dear {{firstName | "a < b"}},\n\none <two>\nthree & four\n\nBye'
    const html = htmlOfText(plain)
    expect(html).toBe('<p>Dear {{firstName | "a < b"}},</p>\n<p>one &#60;two&#62;<br>three &#38; four</p>\n<p>Bye</p>')
    expect(textOfHtml(html).replace(/\n{2,}/g, '\n\n')).toBe(plain)
  })
})
