import { describe, expect, test } from 'vitest'
import { type DraftStep, draftOf, formOf, inForm, inputOf, isSaved } from '#components/sequences/editor/draft.ts'
import { effectSentences } from '#components/sequences/editor/effect-words.ts'
import { lackSentence } from '#components/sequences/fields/field-words.ts'
import { hintsFor } from '#components/sequences/preview/hints.ts'
import { linksOf } from '#components/sequences/preview/mail-links.ts'

const written = { delayDays: 0, subject: 'Hello', bodyText: '', bodyHtml: '' }
const step = (some: Partial<DraftStep>): DraftStep => ({ ...written, key: 'one', form: 'rich', ...some })

describe('the form of a text', () => {
  test.each([
    ['rich', { bodyText: '', bodyHtml: '' }],
    ['rich', { bodyText: '', bodyHtml: '<p>Hello <strong>you</strong></p>' }],
    ['html', { bodyText: '', bodyHtml: '<table><tr><td>Hello</td></tr></table>' }],
    ['html', { bodyText: '', bodyHtml: '<a href="https://a.example" style="color:red">Hello</a>' }],
    ['text', { bodyText: 'Hello', bodyHtml: '' }],
  ])('is found: %s', (form, texts) => {
    expect(formOf({ ...written, ...texts })).toBe(form)
  })

  test('changes without a question where nothing is lost, and says what is', () => {
    expect(inForm(step({ form: 'text', bodyText: 'a\n\nb' }), 'rich')).toMatchObject({
      step: { form: 'rich', bodyHtml: '<p>a</p>\n<p>b</p>', bodyText: '' },
      lost: [],
    })
    expect(inForm(step({ bodyHtml: '<p>a</p>' }), 'html').lost).toEqual([])
    expect(inForm(step({ bodyHtml: '<p>a</p>\n<p>b<br>c</p>' }), 'text')).toMatchObject({
      step: { bodyText: 'a\n\nb\nc', bodyHtml: '' },
      lost: [],
    })
    expect(inForm(step({ bodyHtml: '<p><strong>a</strong></p>' }), 'text').lost).toEqual(['its looks'])
    expect(inForm(step({ form: 'html', bodyHtml: '<h1>a</h1>' }), 'rich').lost).toEqual(['headings'])
  })

  test('a plain text of its own that stands beside the HTML is not written over', () => {
    expect(inForm(step({ bodyHtml: '<p>a</p>', bodyText: 'mine' }), 'text').step.bodyText).toBe('mine')
  })
})

test('a draft is saved as soon as the server has the same, whatever the page knows besides', () => {
  const saved = { name: 'Welcome', steps: [{ ...written, stepNumber: 1 }], graph: null }
  const draft = draftOf(saved)
  expect(isSaved(draft, saved)).toBe(true)
  expect(isSaved({ ...draft, name: ' Welcome ' }, saved)).toBe(true)
  expect(isSaved({ ...draft, steps: [] }, saved)).toBe(false)
  expect(inputOf({ ...draft, steps: [...draft.steps, step({})] }, 1).steps.map((one) => one.stepNumber)).toEqual([
    1,
    undefined,
  ])
})

test('what an edit does is said with its numbers', () => {
  const none = { emailsReworded: 0, emailsSent: 0, emailsMoved: 0, enrolmentsExtended: 0, campaigns: 1, example: null }
  expect(effectSentences(none)).toEqual(['No email that waits changes.'])
  expect(effectSentences({ ...none, emailsReworded: 42, emailsSent: 310, enrolmentsExtended: 1 })).toEqual([
    '42 emails that wait change, 310 that were sent stay as they are.',
    '1 person gets each step that was added.',
  ])
})

test.each([
  ['company', '9 of 412 people have no company: give it a fallback, or they wait until it is filled in.'],
  ['firstName', null],
  ['senderName', null],
  ['custom.city', 'None of 412 people has a city: give it a fallback, or they wait until it is filled in.'],
])('how many lack %s', (field, sentence) => {
  const lacking = new Map([
    ['company', 9],
    ['firstName', 0],
  ])
  expect(lackSentence(field, { people: 412, lacking })).toBe(sentence)
  expect(lackSentence(field, { people: 0, lacking })).toBeNull()
})

describe('hints', () => {
  const mail = { subject: 'Your stand', html: '', raw: '' }

  test('are given for what an experienced writer would mend, and for nothing else', () => {
    const html =
      '<p><a href="https://a.example/fair">The fair</a> <a href="mailto:a@b.example">Write</a> <img src="x" alt="A stand"></p><a href="http://localhost:3000/u/test">here</a>'
    expect(hintsFor({ ...mail, html })).toEqual([])
    expect(hintsFor({ ...mail, subject: 'LAST CHANCE', raw: 'x'.repeat(110_000) })).toEqual([
      expect.stringMatching(/all capitals/),
      expect.stringMatching(/110 kB; Gmail cuts off/),
    ])
    expect(hintsFor({ ...mail, html: '<a href="https://a.example">click here</a><img src="x">' })).toEqual([
      expect.stringMatching(/“click here” says nothing/),
      expect.stringMatching(/^A picture says nothing/),
    ])
    expect(hintsFor({ ...mail, subject: 'ÜBER 5 OK' })).toEqual([expect.stringMatching(/all capitals/)])
    expect(hintsFor({ ...mail, subject: '見本市のご案内' })).toEqual([])
  })

  test.each([
    ['a.example/x', /no whole address/],
    ['javascript:alert(1)', /open only addresses/],
    ['http://a.example', /not encrypted/],
    ['https://localhost/x', /cannot reach/],
  ])('a link to %s is told', (href, problem) => {
    expect(linksOf(`<a href="${href}">A word</a>`)[0]?.problem).toMatch(problem)
  })
})
