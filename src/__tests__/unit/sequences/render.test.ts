import { describe, expect, test } from 'vitest'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep, renderStep } from '#lib/sequences/render.ts'

const FOOTER = { postalAddress: 'Acme & Sons\n1 High Street', unsubscribeUrl: 'https://mail.example.com/u/abc' }

const step = (texts: Partial<StepTexts>): StepTexts => ({ subject: 'Hello', bodyText: '', bodyHtml: '', ...texts })

function render(texts: Partial<StepTexts>, values: Record<string, string> = {}) {
  const compiled = compileStep(step(texts))
  if (!compiled.ok) throw new Error(compiled.errors.map(({ sentence }) => sentence).join(' '))
  return renderStep(compiled.step, new Map(Object.entries(values)), FOOTER)
}

function content(texts: Partial<StepTexts>, values: Record<string, string> = {}) {
  const rendered = render(texts, values)
  if (rendered.kind !== 'content') throw new Error(JSON.stringify(rendered))
  return rendered
}

const bodyOf = (html: string) => html.replace(/<div style="margin-top:32px.*<\/div>/, '')
const html = (bodyHtml: string, values: Record<string, string> = {}) => bodyOf(content({ bodyHtml }, values).html)
const errorsOf = (bodyHtml: string) => {
  const compiled = compileStep(step({ bodyHtml }))
  return compiled.ok ? [] : compiled.errors.map(({ sentence }) => sentence)
}

const HOSTILE = `<script>alert(1)</script>"' onerror=x`

describe('a value in HTML', () => {
  test('is text where text stands', () => {
    expect(html('<p>Hi {{firstName}}</p>', { firstName: HOSTILE })).toBe(
      '<p>Hi &lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onerror=x</p>',
    )
  })

  test.each(['"', "'"])('cannot leave an attribute in %s', (quote) => {
    expect(html(`<img alt=${quote}{{firstName}}${quote}>`, { firstName: `${quote}><b>` })).toBe(
      `<img alt=${quote}${quote === '"' ? '&quot;' : '&#39;'}&gt;&lt;b&gt;${quote}>`,
    )
  })

  test('cannot leave an attribute without quotes', () => {
    expect(html('<img alt={{firstName}}>', { firstName: 'a onload=b`\tc' })).toBe(
      '<img alt=a&#32;onload&#61;b&#96;&#9;c>',
    )
  })

  test.each([
    ['<title>{{firstName}}</title>x', '<title>&lt;b&gt;</title>x'],
    ['<textarea>{{firstName}}</textarea>x', '<textarea>&lt;b&gt;</textarea>x'],
    ['<p TITLE = "a {{firstName}} b">x</p>', '<p TITLE = "a &lt;b&gt; b">x</p>'],
    ['<p>{{firstName}}{{firstName}}</p>', '<p>&lt;b&gt;&lt;b&gt;</p>'],
    ['<p>1 < 2 {{firstName}} & 3</p>', '<p>1 < 2 &lt;b&gt; & 3</p>'],
    ['<p title=">{{firstName}}">x</p>', '<p title=">&lt;b&gt;">x</p>'],
    ['<p>&{{firstName}};</p>', '<p>&&lt;b&gt;;</p>'],
    ['</p {{company | "x"}}>{{firstName}}', null],
  ])('is escaped for its place in %s', (source, written) => {
    if (written === null) expect(errorsOf(source)).toHaveLength(1)
    else expect(html(source, { firstName: '<b>' })).toBe(written)
  })

  test.each([
    '<A HREF = "  {{custom.url}}">x</A>',
    "<a href='{{custom.url}}'>x</a>",
    '<a href={{custom.url}}>x</a>',
    '<base href="{{custom.url}}">',
    '<svg><a xlink:href="{{custom.url}}">x</a></svg>',
    '<form action="{{custom.url}}">x</form>',
    '<table background="{{custom.url}}"><tr><td>x</table>',
    '<a href="{{custom.url}}{{firstName}}">x</a>',
  ])('decides nowhere that %s runs anything', (source) => {
    const rendered = render({ bodyHtml: source }, { 'custom.url': 'javascript:alert(1)', firstName: ':alert(1)' })
    expect(rendered.kind).toBe('unrenderable')
  })

  test('that follows a field in a link is a part of it, and nothing else', () => {
    expect(
      html('<a href="{{custom.url}}{{firstName}}">x</a>', {
        'custom.url': 'https://e.com/',
        firstName: '/../@evil.com?',
      }),
    ).toBe('<a href="https://e.com/%2F..%2F%40evil.com%3F">x</a>')
  })

  test('cannot end a comment', () => {
    expect(html('<!--[if mso]>{{firstName}}<![endif]--><p>x</p>', { firstName: '--><b>' })).toBe(
      '<!--[if mso]>&#45;&#45;&gt;&lt;b&gt;<![endif]--><p>x</p>',
    )
  })

  test.each([
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    'www.example.com',
    'file:///etc/passwd',
  ])('does not make a link of %j', (url) => {
    expect(render({ bodyHtml: '<a href="{{custom.url}}">x</a>' }, { 'custom.url': url })).toEqual({
      kind: 'unrenderable',
      reason: 'custom.url begins a link, and what it says is not an address like https://….',
    })
  })

  test('leads where it says, as a link of its own', () => {
    expect(html('<a href="{{custom.url}}">x</a>', { 'custom.url': 'https://e.com/a b?q="1"&r=ü%20' })).toBe(
      '<a href="https://e.com/a%20b?q=%221%22&amp;r=%C3%BC%20">x</a>',
    )
  })

  test('stays one parameter of a link that is written', () => {
    expect(html('<a href="https://e.com/?name={{firstName}}&x=1">x</a>', { firstName: 'a&b=c#d "é"' })).toBe(
      '<a href="https://e.com/?name=a%26b%3Dc%23d%20%22%C3%A9%22&x=1">x</a>',
    )
  })

  test('cannot add a recipient to a mail link', () => {
    expect(html('<a href="mailto:{{custom.to}}">x</a>', { 'custom.to': 'a+b@e.com?bcc=c@d.com' })).toBe(
      '<a href="mailto:a%2Bb@e.com%3Fbcc%3Dc@d.com">x</a>',
    )
  })

  test.each([
    ['<a href="java{{firstName}}">x</a>', 'A field cannot stand in a link that does not begin with https://.'],
    ['<a onclick="{{firstName}}">x</a>', 'A field cannot stand in the attribute onclick.'],
    ['<p style="color:{{custom.c}}">x</p>', 'A field cannot stand in the attribute style.'],
    ['<style>{{firstName}}</style>', 'A field cannot stand inside <style>.'],
    ['<script>{{firstName}}</script>', 'A field cannot stand inside <script>.'],
    ['<meta http-equiv="refresh" content="0;url={{custom.url}}">x', 'A field cannot stand in the attribute content.'],
    ['<img srcset="{{custom.url}} 2x">', 'A field cannot stand in the attribute srcset.'],
    ['<iframe srcdoc="{{firstName}}"></iframe>x', 'A field cannot stand inside <iframe>.'],
    ['<!doctype {{firstName}}>x', 'A field cannot stand in the name of a tag or attribute.'],
    ['<{{firstName}}>', 'A field cannot stand in the name of a tag or attribute.'],
    ['<p {{firstName}}="x">x</p>', 'A field cannot stand in the name of a tag or attribute.'],
  ])('is refused beforehand in %s', (bodyHtml, sentence) => {
    expect(errorsOf(bodyHtml)).toEqual([sentence])
  })

  test('is refused with its line and column', () => {
    const compiled = compileStep(step({ bodyHtml: '<p>{{firstName | "x"}}</p>\n <i id="" on="{{lastName}}">' }))
    expect(compiled).toMatchObject({ ok: false, errors: [{ line: 2, column: 15 }] })
  })
})

test('what is not a field stays as written: images, links, entities, tags of old', () => {
  const source = `<html><body bgcolor=#fff><IMG src='http://e.com/a b.png?x=1&y=2'><a href=http://e.com>&copy; it's</a><br/></body></html>`
  expect(html(source)).toBe(source)
})

test('a value in text or subject is itself, a subject one line', () => {
  const rendered = content(
    { subject: '{{firstName}} & {{company}}', bodyText: 'Dear {{firstName}},\r\n{{company}}' },
    { firstName: '<Ann>\r\nBcc: x@y.z', company: 'Ümläut \u202egmbh' },
  )
  expect(rendered.subject).toBe('<Ann> Bcc: x@y.z & Ümläut gmbh')
  expect(rendered.text).toMatch(/^Dear <Ann>\r\nBcc: x@y\.z,\r\nÜmläut \u202egmbh\n\n/)
  expect(rendered.html).toBe('')
})

describe('below every email', () => {
  test('stand the postal address and the way out, in text and HTML', () => {
    const rendered = content({ bodyText: 'A word.', bodyHtml: '<p>A word.</p>' })
    expect(rendered.text).toBe(
      'A word.\n\nAcme & Sons\n1 High Street\n\nIf you would rather not get these emails, you can unsubscribe:\nhttps://mail.example.com/u/abc\n',
    )
    expect(rendered.html).toContain('Acme &amp; Sons<br>1 High Street')
    expect(rendered.html).toContain('<a href="https://mail.example.com/u/abc"')
  })

  test('they stand inside the body', () => {
    const { html } = content({ bodyHtml: '<html><body><p>{{firstName}}</p></BODY ></html>' }, { firstName: 'Ann' })
    expect(html).toMatch(/^<html><body><p>Ann<\/p><div .*<\/div><\/BODY ><\/html>$/)
  })

  test.each(['<p>x <!-- y', '<p>x</p><a href="', '<style>p{}', '<p>x</', '<plaintext>'])(
    'they cannot be swallowed by %s',
    (bodyHtml) => {
      expect(errorsOf(bodyHtml)).toEqual([expect.stringMatching(/The HTML ends inside/)])
    },
  )
})

describe('text from HTML', () => {
  test('says what the HTML says: words, links, what pictures show', () => {
    const { text } = content(
      {
        bodyHtml:
          '<h1>Hi {{firstName}}</h1><style>p{}</style><p>See <a href="https://e.com/?n={{firstName}}">this &amp; that</a>.</p><img src="https://e.com/x.png" alt="A cat"><ul><li>one</li><li>two</li></ul>',
      },
      { firstName: 'A&B' },
    )
    expect(text.split('\n\nAcme')[0]).toBe(
      'Hi A&B\n\nSee this & that <https://e.com/?n=A%26B>.\n\nA cat\n * one\n * two',
    )
  })

  test('is not made where text is written', () => {
    expect(content({ bodyText: 'Mine', bodyHtml: '<p>Other</p>' }).text).toMatch(/^Mine\n\nAcme/)
  })
})

describe('a field that says nothing', () => {
  test('is missing unless it has a fallback everywhere', () => {
    const texts = {
      subject: '{{firstName | "there"}}',
      bodyText: '{{company}} {{firstName}}',
      bodyHtml: '<a href="{{custom.url}}">{{company | "x"}}</a>',
    }
    expect(render(texts, { company: '  ' })).toEqual({
      kind: 'missing-fields',
      missing: ['company', 'custom.url', 'firstName'],
    })
  })

  test('is written by its fallback, escaped like any value', () => {
    expect(html('<p>{{firstName | "you & \\"yours\\""}}</p>')).toBe('<p>you &amp; &quot;yours&quot;</p>')
  })
})
