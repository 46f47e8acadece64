/** The longest that a step's HTML may be. */
export const LENGTH = 300_000

const repeated = (unit: string, length = LENGTH) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const nested = (tag: string, depth: number, inside: string) =>
  `<${tag}>`.repeat(depth) + inside + `</${tag}>`.repeat(depth)

/** Texts that were made to cost more than they are long. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'braces that close nothing': repeated('}} '),
  'fields that do not exist': repeated('{{a}}\n'),
  'fields that never close': repeated('{{'),
  'a field with a long name': `{{${repeated('a', LENGTH - 4)}}}`,
  'a long fallback': `{{company | "${repeated('\\"', LENGTH - 20)}"}}`,
  'too many fields': repeated('{{email}} '),
  'as many fields as may be': '{{email}} '.repeat(500) + repeated('word ', LENGTH - 5_000),
  'nested quotes': repeated('<blockquote>'),
  'nested quotes that close': nested('blockquote', 12_000, 'x'),
  'as many quotes as may be': nested('blockquote', 3, `<pre>${repeated('\n', LENGTH - 200)}</pre>`),
  'nested bold': repeated('<b>'),
  'nested bold and foreign ends': repeated('<b>', LENGTH / 2) + repeated('</i>', LENGTH / 2),
  'as deep as may be': nested('div', 90, repeated('<p>x</p>', 30_000) + repeated('word ', 120_000)),
  'as long as may be inside tags': nested('div', 39, repeated('<br>', 19_000) + repeated('x\n', LENGTH - 20_000)),
  'deeper than its length may be': nested('ol', 93, repeated('<br>', 19_000) + repeated('x', LENGTH - 21_000)),
  'many siblings': repeated('<b>x</b>'),
  'many links': repeated('<a href="https://example.com/">x</a> '),
  'many cells': repeated('<table><tr><td>x</td></tr></table>'),
  'many items': `<ul>${repeated('<li>x</li>', LENGTH - 9)}`,
  'many attributes': `<p ${Array.from({ length: 30_000 }, (_, index) => `a${index}=1`).join(' ')}>x</p>`,
  'many entities': repeated('&amp;'),
  'angle brackets': repeated('<'),
  'tags that never end': repeated('</'),
  'many comments': repeated('<!--[if mso]>x<![endif]-->'),
  'comments in comments': `${repeated('<!--[if ]>', LENGTH - 20)}{{email}}-->x`,
  scripts: repeated('<script></script>'),
  'many bodies': repeated('</body>'),
  words: repeated('a '),
  spaces: repeated(' '),
  'a link of fields': `<a href="https://example.com/${'{{email}}'.repeat(499)}${repeated('x', LENGTH - 6_000)}">x</a>`,
}
