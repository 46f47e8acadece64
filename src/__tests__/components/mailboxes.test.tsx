// @vitest-environment happy-dom
import { act, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { wordsOfReturn } from '#components/mailboxes/mailbox-words.ts'
import { TestSteps, useTestRun } from '#components/mailboxes/test-steps.tsx'

const FAILURE = { step: 'message', sentence: 'Google refused the message.', providerText: null } as const

type Run = ReturnType<typeof useTestRun>

/** As the page that Google leads back to, which does not know yet how the mailbox will send. */
function Page({ hand }: { hand: (test: Run) => void }) {
  const test = useTestRun()
  hand(test)
  return test.run && <TestSteps run={test.run} path={{ isGmail: true, makesDrafts: true }} />
}

function showTest(): { tell: (what: (run: Run) => void) => void; steps: () => string[] } {
  let now: Run | undefined
  const hand = (test: Run) => {
    now = test
  }
  render(<Page hand={hand} />)
  return {
    tell: (what) => act(() => what(now as Run)),
    steps: () => screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? ''),
  }
}

test('the test of a mailbox that only sends claims no draft that nobody made', () => {
  const { tell, steps } = showTest()
  tell(({ begin }) => begin('login'))
  expect(steps()).toHaveLength(4)
  tell(({ reach }) => reach({ step: 'message' }))
  expect(steps().join()).not.toMatch(/draft|Delete/)
  tell(({ fail }) => fail(FAILURE))
  expect(steps().join()).not.toMatch(/draft|Delete/)
  expect(steps().join()).toMatch(/Log in.*Google refused the message/)
})

test('the test of one that makes drafts shows those that were made', () => {
  const { tell, steps } = showTest()
  tell(({ begin }) => begin('login'))
  for (const step of ['draft', 'fence', 'message'] as const) tell(({ reach }) => reach({ step }))
  expect(steps()).toHaveLength(4)
  tell(({ fail }) => fail(FAILURE))
  expect(steps()).toHaveLength(4)
})

test('the page that Google leads back to says what Google refused, and repeats no words of a stranger', () => {
  expect(wordsOfReturn('access_denied')).toMatch(/^You did not agree at Google/)
  expect(wordsOfReturn('admin_policy_enforced')).toMatch(/^Google refused \(admin_policy_enforced\).*administrator/)
  expect(wordsOfReturn('Your account is locked, call 555')).not.toContain('555')
  expect(wordsOfReturn(null)).toMatch(/^There is nothing to connect here/)
})
