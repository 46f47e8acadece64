export type HostileFile = {
  name: string
  bytes: Buffer
  /** What the maker of the file knows of it. Python is told; Sendonce has to find out. */
  encoding: string
  delimiter: string
}

type Made = { encoding?: string; delimiter?: string }

const utf8 = (text: string) => Buffer.from(text)
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const latin = (text: string) => Buffer.from(text, 'latin1')
const files: HostileFile[] = []
const add = (name: string, content: string | Buffer, { encoding = 'utf-8', delimiter = ',' }: Made = {}) => {
  files.push({ name, bytes: typeof content === 'string' ? utf8(content) : content, encoding, delimiter })
}

const table = (end: string, delimiter = ',') =>
  ['email,name,note', 'ann@example.com,Ann,one', 'bob@example.com,Bob,two', 'cy@example.com,Cy,']
    .map((line) => line.replaceAll(',', delimiter) + end)
    .join('')
const withNames = (...names: string[]) =>
  ['email,name', ...names.map((name, index) => `p${index}@example.com,${name}`)].map((line) => `${line}\n`).join('')
const NAMES = ['Jürgen Möller', 'Zoë Brontë', 'François', 'Søren', 'Łukasz', 'Дмитрий', '山田', 'Ann 😀']

// Line ends.
for (const [name, end] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const) {
  add(`lines end in ${name}`, table(end))
  add(`lines end in ${name}, the last one in nothing`, table(end).slice(0, -end.length))
  add(`lines end in ${name}, with empty lines`, table(end + end))
  add(
    `lines end in ${name}, within quotes too`,
    `email,note${end}a@example.com,"one${end}two"${end}b@example.com,x${end}`,
  )
}
add('lines end in all three', 'email,name\r\na@example.com,A\nb@example.com,B\rc@example.com,C')
add('a vertical tab and a form feed in a cell', withNames('A\u000bB', 'C\u000cD'))
add('a line separator of Unicode in a cell', withNames('A\u2028B', 'C\u0085D'))

// Delimiters.
for (const [name, delimiter] of [
  ['semicolons', ';'],
  ['tabs', '\t'],
  ['bars', '|'],
] as const) {
  add(`${name}`, table('\n', delimiter), { delimiter })
  add(
    `${name}, with commas in the cells`,
    `email${delimiter}name\na@example.com${delimiter}Lee, Ann\nb@example.com${delimiter}Ray, Bob\n`,
    { delimiter },
  )
  add(`${name}, with themselves in quotes`, `email${delimiter}name\na@example.com${delimiter}"Lee${delimiter}Ann"\n`, {
    delimiter,
  })
}
add('one column', 'email\na@example.com\nb@example.com\n')
add('semicolons and decimal commas', 'email;score\na@example.com;1,5\nb@example.com;2,75\n', { delimiter: ';' })
for (const [name, line, delimiter] of [
  ['sep=;', 'sep=;', ';'],
  ['sep=, although there are more semicolons', 'sep=,', ','],
  ['SEP=; in capitals', 'SEP=;', ';'],
  ['sep=; in quotes', '"sep=;"', ';'],
  ['sep=; with empty cells behind it', 'sep=;;;', ';'],
  ['sep= and a tab', 'sep=\t', '\t'],
  ['sep=^', 'sep=^', '^'],
] as const)
  add(
    name,
    `${line}\r\nemail${delimiter}name\r\na@example.com${delimiter}A;B\r\n`.replace(
      'A;B',
      delimiter === ';' ? 'A' : 'A;B',
    ),
    { delimiter },
  )

// Quotes.
add('everything in quotes', '"email","name"\n"a@example.com","A"\n')
add('quotes written twice', withNames('"say ""hi"""', '""""', '"a""b"'))
add('empty quotes', withNames('""', '"",', ''))
add('a sign for inches', withNames('6" pipes', '5"x7"', '"'.replace('"', 'x"')))
add('a word in quotes within a cell', withNames('A "stray" quote'))
add('a cell that goes on behind its quotes', withNames('"Acme" Inc', '"Acme", Inc'))
add('two quoted words', withNames('"a" "b"'))
add('quotes behind a backslash', 'email,name,more\na@example.com,"say \\"hi\\" to",x\n')
add('quotes behind a backslash at the end', 'email,name,more\na@example.com,"say \\"hi\\"",x\n')
add('a backslash at the end of quotes', 'email,path,more\na@example.com,"C:\\dir\\",x\n')
add('two backslashes at the end of quotes', 'email,path,more\na@example.com,"C:\\\\",x\n')
add('spaces before quotes', 'email, "name"\na@example.com, "A"\n')
add('spaces before quotes with a comma in them', 'email, "name"\na@example.com, "Lee, Ann"\n')
add('spaces behind quotes', '"email" ,"name" \n"a@example.com" ,"A" \n')
add('a space and a sign for inches', withNames(' 5" nail', ' "tall'))
add('single quotes', withNames("'A'", "'it''s'"))
add('typographic quotes', withNames('“A”', '„B“'))
add('a quote that never closes', 'email,name\n"a@example.com,A\nb@example.com,B\nc@example.com,C\n')
add('a quote that never closes in the last line', 'email,name\na@example.com,A\n"b@example.com,B')
add('a stray quote before a quoted line', 'email,name\n"a@example.com,A\n"b@example.com","B"\nc@example.com,C\n')
add(
  'a stray quote before a line with a quoted cell',
  'email,name\n"a@example.com,A\nb@example.com,"B"\nc@example.com,C\n',
)
add('a quoted cell of three lines', 'email,note\na@example.com,"one\ntwo, two\n""three"""\nb@example.com,x\n')

// Shapes.
add('too few cells', 'email,name,note\na@example.com\nb@example.com,B\n')
add('too many cells', 'email,name\na@example.com,A,x,y\nb@example.com,B\n')
add('empty cells', 'email,name\n,,\n,\na@example.com,\n')
add('only spaces', 'email,name\n   ,  \na@example.com,A\n')
add('nothing', '')
add('only line ends', '\n\r\n\n')
add('only a header', 'email,name\n')
add('no header', 'a@example.com,A\nb@example.com,B\n')
add('a header behind empty lines', '\n\nemail,name\na@example.com,A\n')
add('spaces around everything', ' email , name \n a@example.com , A \n')
add(
  'three hundred columns',
  `email,${Array.from({ length: 299 }, (_, n) => `c${n}`).join(',')}\na@example.com,${'x,'.repeat(298)}x\n`,
)
add('a formula', withNames('=1+1', '@SUM(A1)', '"=cmd|\'/c calc\'!A1"'))
add('a NUL in a cell', withNames('A\u0000B'))
add('a cell of sixty thousand characters', withNames('x'.repeat(60_000), 'B'))
add('a cell of two hundred thousand characters', withNames('x'.repeat(200_000), 'B'))
add(
  'a cell of twenty thousand lines',
  `email,name\na@example.com,"${Array.from({ length: 20_000 }, (_, n) => `evil${n}@example.com,x`).join('\n')}"\nb@example.com,B\n`,
)

// Encodings.
add('UTF-8', withNames(...NAMES))
add('UTF-8 with a mark', `\ufeff${withNames(...NAMES)}`, { encoding: 'utf-8-sig' })
add('UTF-8 with a mark and quotes', `\ufeff"email","name"\n"a@example.com","Zoë"\n`, { encoding: 'utf-8-sig' })
add('UTF-8 with a mark before sep=', `\ufeffsep=;\nemail;name\na@example.com;Zoë\n`, {
  encoding: 'utf-8-sig',
  delimiter: ';',
})
add('UTF-16 with a mark', utf16(`\ufeff${withNames(...NAMES)}`), { encoding: 'utf-16' })
add('UTF-16 with a mark, the other way round', utf16(`\ufeff${withNames(...NAMES)}`).swap16(), { encoding: 'utf-16' })
add('UTF-16 without a mark', utf16(withNames(...NAMES)), { encoding: 'utf-16-le' })
add('UTF-16 without a mark, the other way round', utf16(withNames(...NAMES)).swap16(), { encoding: 'utf-16-be' })
add('UTF-32', Buffer.from([...'email\na@b.c\n'].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0])), {
  encoding: 'utf-32-le',
})
add('windows-1252', latin(withNames('J\xfcrgen', 'Ren\xe9e', 'O\x92Neill', 'S\xf8ren')), { encoding: 'cp1252' })
add('latin-2', latin(withNames('Miko\xb3aj', 'Wa\xb3\xeasa', '\xa3uk\xb6a')), { encoding: 'iso8859-2' })
add('windows-1250', latin(withNames('Dvo\xf8\xe1k', 'N\xecmec', 'Tom\xe1\x9a')), { encoding: 'cp1250' })
add('windows-1251', latin(withNames('\xc4\xec\xe8\xf2\xf0\xe8\xe9', '\xc8\xe2\xe0\xed')), { encoding: 'cp1251' })
add(
  'Shift JIS',
  Buffer.concat([utf8('email,name\na@example.com,'), Buffer.from('8e52936391be98594a', 'hex'), utf8('\n')]),
  { encoding: 'shift_jis' },
)
add(
  'UTF-8 with one bad byte',
  Buffer.concat([utf8(withNames('Jürgen', 'Zoë')), latin('r@example.com,Ren\xe9\n'), utf8('o@example.com,Özil\n')]),
)
add('UTF-8 cut in the middle of a letter', utf8(withNames(...NAMES, 'Zoë')).subarray(0, -2))
add('UTF-8 that was written twice', utf8(withNames('JÃ¼rgen', 'ZoÃ«')))
add('letters with marks of their own', withNames('Ju\u0308rgen', 'e\u0301'))
add('a workbook', Buffer.from('504b03041400060008000000210000', 'hex'))

export const HOSTILE_FILES: readonly HostileFile[] = files
