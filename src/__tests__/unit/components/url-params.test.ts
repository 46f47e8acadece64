import { expect, test } from 'vitest'
import { hrefWithParams } from '#components/url-params.ts'

test('a change keeps the other parameters', () => {
  expect(hrefWithParams('/queue', new URLSearchParams('tab=failed&q=ada'), { q: 'bob' })).toBe(
    '/queue?tab=failed&q=bob',
  )
})

test('null and the empty text remove a parameter, and the question mark goes with the last one', () => {
  expect(hrefWithParams('/queue', new URLSearchParams('q=ada'), { q: null })).toBe('/queue')
  expect(hrefWithParams('/queue', new URLSearchParams('q=ada'), { q: '' })).toBe('/queue')
})

test('a changed filter starts at the first page; turning the page keeps the filters', () => {
  const params = new URLSearchParams('q=ada&cursor=abc')
  expect(hrefWithParams('/queue', params, { q: 'bob' })).toBe('/queue?q=bob')
  expect(hrefWithParams('/queue', params, { cursor: 'def' })).toBe('/queue?q=ada&cursor=def')
  expect(hrefWithParams('/queue', params, { cursor: null })).toBe('/queue?q=ada')
})

test('what is typed is escaped', () => {
  expect(hrefWithParams('/queue', new URLSearchParams(), { q: 'a&b=c #' })).toBe('/queue?q=a%26b%3Dc+%23')
})
