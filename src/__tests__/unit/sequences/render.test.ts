import { describe, expect, test } from 'vitest'
import { compileHtml } from '#lib/sequences/compile-html.ts'
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
    '<img src="{{custom.url}}">',
    '<table background="{{custom.url}}"><tr><td>x</table>',
    '<area href="&#32;{{custom.url | "https://example.com/"}}">',
    '<base href="{{custom.url}}">',
    '<form action="{{custom.url}}">x</form>',
    '<svg><a xlink:href="{{custom.url}}">x</a></svg>',
    '<embed src="{{custom.url}}">',
    '<link href="{{custom.url}}">',
  ])('is never all of the link in %s', (source) => {
    expect(errorsOf(source)).toEqual([
      'A link cannot begin with a field: its value would choose where the link leads. Write the beginning of the address yourself, as in https://acme.example/{{custom.path}}.',
    ])
  })

  test('cannot end a comment', () => {
    expect(html('<!--[if mso]>{{firstName}}<![endif]--><p>x</p>', { firstName: '--><b>' })).toBe(
      '<!--[if mso]>&#45;&#45;&gt;&lt;b&gt;<![endif]--><p>x</p>',
    )
  })

  test('stays one part of a path, one parameter, one fragment of a link that is written', () => {
    const written = (link: string) =>
      html(`<a href="${link}">x</a>`, { firstName: `/../@evil.example:1?a&b=c#d\\ "é"!'()*` })
    const all = '%2F..%2F%40evil.example%3A1%3Fa%26b%3Dc%23d%5C%20%22%C3%A9%22%21%27%28%29%2A'
    expect(written('https://e.com/{{firstName}}/x')).toBe(`<a href="https://e.com/${all}/x">x</a>`)
    expect(written('https://e.com?name={{firstName}}&x=1')).toBe(`<a href="https://e.com?name=${all}&x=1">x</a>`)
    expect(written('https://e.com/#{{firstName}}')).toBe(`<a href="https://e.com/#${all}">x</a>`)
    expect(written('#{{firstName}}')).toBe(`<a href="#${all}">x</a>`)
  })

  test.each(['.', '..', ' .. '])('cannot lead up a path by saying %j', (firstName) => {
    expect(render({ bodyHtml: '<a href="https://e.com/a/{{firstName}}/b">x</a>' }, { firstName })).toEqual({
      kind: 'unrenderable',
      reason: 'firstName is a part of a link, and what it says is only full stops, which would lead elsewhere.',
    })
  })

  test('is exactly one address of a mail link, and one number of a telephone', () => {
    const mail = '<a href="mailto:{{custom.to}}?subject={{firstName}}">x</a>'
    expect(html(mail, { 'custom.to': 'A+b@e.com', firstName: 'Hi & bye' })).toBe(
      '<a href="mailto:a%2Bb@e.com?subject=Hi%20%26%20bye">x</a>',
    )
    for (const to of ['a@e.com?bcc=c@d.com', 'a@e.com,c@d.com', 'nobody'])
      expect(render({ bodyHtml: mail }, { 'custom.to': to, firstName: 'A' }).kind).toBe('unrenderable')
    expect(html('<a href="tel:{{custom.phone}}">x</a>', { 'custom.phone': '+49 30;ext=1' })).toBe(
      '<a href="tel:+49%2030%3Bext%3D1">x</a>',
    )
  })

  test.each([
    'https://{{company}}.example.com/',
    'https://{{company}}',
    'https://user:{{company}}@example.com/',
    'https://example.com:{{company}}/',
    'https://example.com{{company}}',
    'https://example.com{{company}}/x',
    'https://example.com\\{{company}}',
    'https:///{{company}}',
    'https:{{company}}',
    'HTTPS://exa&#109;ple.com{{company}}/',
    'https&colon;//example.com{{company}}/',
    'https://example.com&#x2e;{{company}}/',
  ])('in the host of %s, or right behind it, is an error', (link) => {
    expect(errorsOf(`<a href="${link}">x</a>`)).toEqual([expect.stringMatching(/^A field cannot stand in .*link/)])
  })

  test.each([
    ['{{custom.url}}{{company}}', 2],
    ['{{custom.url}}?by={{company}}', 2],
    ['{{custom.url}}.example.com', 1],
    ['{{custom.url}}:80/', 1],
    ['mailto:{{custom.url}}{{company}}', 1],
    ['mailto:info@{{company}}', 1],
    ['mailto:{{custom.url}},x@example.com', 1],
    ['{{custom.scheme}}://example.com/', 1],
  ])('decides nothing about the rest of %s', (link, fields) => {
    expect(errorsOf(`<a href="${link}">x</a>`)).toHaveLength(fields)
  })

  test('is held to the same in what Outlook reads of a comment', () => {
    const button = (link: string) => `<!--[if mso]><v:rect href="${link}">{{firstName}}</v:rect><![endif]--><p>x</p>`
    expect(errorsOf(button('https://{{company}}.example.com/'))).toEqual([
      expect.stringContaining('in the host of a link'),
    ])
    expect(html(button('https://e.com/{{company}}'), { company: 'a/--><b>', firstName: '--><b>' })).toBe(
      '<!--[if mso]><v:rect href="https://e.com/a%2F&#45;&#45;%3E%3Cb%3E">&#45;&#45;&gt;&lt;b&gt;</v:rect><![endif]--><p>x</p>',
    )
  })

  test('is an error with line and column where it would choose where a link leads', () => {
    const compiled = compileStep(step({ bodyHtml: '<p>x</p>\n <a href="https://e.com{{company}}">x</a>' }))
    expect(compiled).toMatchObject({ ok: false, errors: [{ at: 32, line: 2, column: 24 }] })
    const whole = compileStep(step({ bodyHtml: '<p>x</p>\n <a href="{{custom.url}}">x</a>' }))
    expect(whole).toMatchObject({ ok: false, errors: [{ at: 19, line: 2, column: 11 }] })
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
    expect(errorsOf(bodyHtml)).toContain(sentence)
  })

  test('is refused with its line and column', () => {
    const compiled = compileStep(step({ bodyHtml: '<p>{{firstName | "x"}}</p>\n <i id="" on="{{lastName}}">' }))
    expect(compiled).toMatchObject({ ok: false, errors: [{ line: 2, column: 15 }] })
  })
})

describe('what an author may not write', () => {
  test.each([
    ['<p>x</p>\n<script>1</script>', 2, 1, /A script stands here/],
    ['<p>{{email}} <SCRIPT src=x></SCRIPT>', 1, 14, /A script stands here/],
    ['<p onclick=1>x</p>', 1, 1, /The attribute onclick runs a script/],
    ['<a href="javascript:alert(1)">x</a>', 1, 1, /The link of <a> runs something/],
    ['<a href=" Java&#x73;cript&colon;alert(1)">x</a>', 1, 1, /The link of <a> runs something/],
    ['<a href="java\tscript:alert(1)">x</a>', 1, 1, /The link of <a> runs something/],
    ['<form action="vbscript:x">x</form>', 1, 1, /The link of <form> runs something/],
    ['<a href="data:text/html,x">x</a>', 1, 1, /The link of <a> runs something/],
  ])('%j is a problem with its place; a preview can still show it', (bodyHtml, line, column, sentence) => {
    expect(compileHtml(bodyHtml)).toMatchObject({
      ok: true,
      problems: [expect.objectContaining({ line, column, sentence: expect.stringMatching(sentence) })],
    })
  })

  test('a picture in the mail itself is not among it, nor a word that looks so', () => {
    const source = '<img src="data:image/png;base64,AAAA"><a href="https://e.com/javascript:x">javascript:</a>'
    expect(html(source)).toBe(source)
    expect(compileHtml(source)).toMatchObject({ problems: [] })
  })

  test.each([
    ['<b>'.repeat(101), /More than 100 tags stand inside one another/],
    ['<b>x</b>'.repeat(5_001), /more than 5000 tags/],
    [`<p ${Array.from({ length: 15_001 }, (_, n) => `a${n}`).join(' ')}>`, /more than 15000 attributes/],
    ['<blockquote>'.repeat(50) + 'x'.repeat(20_001), /too many quotes and lists/],
    ['<div>'.repeat(100) + 'x'.repeat(120_001), /inside too many tags/],
    ['{{email}}'.repeat(501), /at most 500/],
  ])('more of anything than becomes an email in no time is said with its place', (bodyHtml, sentence) => {
    expect(errorsOf(bodyHtml)).toEqual([expect.stringMatching(sentence)])
  })

  test('is told of fifty times and not more', () => {
    expect(compileHtml('<script></script>'.repeat(1_000))).toMatchObject({ problems: { length: 50 } })
    expect(errorsOf('{{nobody}}\n'.repeat(1_000))).toHaveLength(50)
    expect(errorsOf('<p {{company}}>'.repeat(100))).toHaveLength(50)
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
      bodyHtml: '<a href="https://e.com/{{custom.url}}">{{company | "x"}}</a>',
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
