import { expect, test } from 'vitest'
import { suppressionsIn } from '#components/suppressions/suppressions-in.ts'

test.each<[string, string, string[]]>([
  ['one on each line', 'a@b.test\nc.test\r\n\r\n@d.test', ['a@b.test', 'c.test', '@d.test']],
  ['a table with a head', 'Name;Email\nAnn;a@b.test', ['a@b.test']],
  ['a mark of bytes, quotes and repetitions', '\uFEFF"a@b.test",x\na@b.test', ['a@b.test']],
  ['an address before a domain beside it', 'b.test,a@b.test', ['a@b.test']],
  ['what is neither, so that it is told of', 'a@b.test\nnonsense', ['a@b.test', 'nonsense']],
  ['nothing', ' \n', []],
])('of %s', (_, text, expected) => {
  expect(suppressionsIn(text)).toEqual(expected)
})
