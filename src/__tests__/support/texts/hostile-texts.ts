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

const bold = (times: number) => '<b>x</b>'.repeat(times)
const ever = (depth: number, inside: string, around: (inside: string) => string): string =>
  depth === 0 ? inside : ever(depth - 1, around(inside), around)
/** Written apart, since two braces would be a field. */
const nestedRules = ever(9, 'color: red', (inside) => `& & & & { ${inside} } `)
const namedTwice = Array.from({ length: 30 }, (_, at) => `--v${at}: var(--v${at + 1}) var(--v${at + 1})`).join(';')

/** Styles that were made to cost more than they are long, where they are written at the tags. */
export const HOSTILE_STYLES: Readonly<Record<string, string>> = {
  'siblings of siblings': `<style>i~b~b~b~b~c{color:red}</style>${bold(400)}<c>x</c>`,
  'tags that hold tags that hold tags': `<style>b:has(${ever(6, 'q', (inside) => `* :has(${inside})`)}){color:red}</style>${nested('b', 90, 'x')}`,
  'a tag among its siblings': `<style>b${':nth-last-of-type(n+1):nth-last-child(2n+1)'.repeat(500)}{color:red}</style>${bold(4_000)}`,
  'a selector with many parts': `<style>b${'[title=x]'.repeat(20_000)}{color:red}</style>${bold(4_000).replaceAll('<b>', '<b title=x>')}`,
  'an attribute that is long': `<style>${`b${'[title*=y]'.repeat(40)}{color:red}`.repeat(40)}</style><b title="${repeated('x', 250_000)}">x</b>`,
  'rules inside one another': `<style>b { ${nestedRules} }</style>${bold(3)}`,
  'rules inside a style sheet that closes itself': `<style></style><style/>b { ${nestedRules} }</style>${bold(3)}`,
  'rules inside one another in a style': `<style>b{color:red}</style><b style="${nestedRules}">x</b>`,
  'a variable of variables': `<style>b{${namedTwice};--v30:x;color:var(--v0)}</style>${bold(1)}`,
  'a variable of variables in a style': `<style>b{color:var(--v0)}</style><b style="${namedTwice};--v30:x">x</b>`,
  'a long variable that is named often': `<style>b{--a:${repeated('x', 100_000)};color:${'var(--a) '.repeat(10_000)}}</style>${bold(1)}`,
  'a long value': `<style>*{background:url(${repeated('x', 250_000)})}</style>${bold(4_000)}`,
  'code that never closes': `<style></style>${'<%'.repeat(90_000)}`,
  'code that closes': `<style></style>${'<%%>'.repeat(70_000)}`,
  'counters at every tag': `<style>*{${Array.from({ length: 18 }, (_, at) => `counter-increment:c${at} 1`).join(';')}}</style>${bold(4_000)}`,
  'braces that open': `<style>${'a{ '.repeat(90_000)}</style>${bold(1)}`,
  'comments that never close': `<style>${repeated('/* ', 290_000)}</style>${bold(1)}`,
  'many media': `<style>${repeated('@media print{b{color:red} }', 290_000)}</style>${bold(1)}`,
  'many rules': `<style>${repeated('b{color:red} ', 290_000)}</style>${bold(1)}`,
  'many declarations at many tags': `<style>${'b{color:red} '.repeat(40)}</style>${bold(1_200)}`,
  'as many tags as may be': `<style>*{color:red}</style>${bold(1_880)}`,
}
