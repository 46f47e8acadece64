import { describe, expect, test } from 'vitest'
import { judgeDmarc, judgeSpf } from '#lib/mail/domains/findings.ts'
import { lacksOf, mechanismsFor, spfWith } from '#lib/mail/domains/spf.ts'

describe('who may send for a domain', () => {
  test('is named by the service, in whatever region, and else by the server itself', () => {
    expect(mechanismsFor(['smtp.gmail.com', 'smtp-relay.gmail.com'])).toEqual(['include:_spf.google.com'])
    expect(mechanismsFor(['email-smtp.eu-west-1.amazonaws.com'])).toEqual(['include:amazonses.com'])
    expect(mechanismsFor(['mail.acme.test'])).toEqual(['a:mail.acme.test'])
    expect(mechanismsFor(['notgmail.com', '127.0.0.1', '::1'])).toEqual(['a:notgmail.com'])
  })

  test('is put in before the end of the record that is there, once', () => {
    const google = ['include:_spf.google.com']
    expect(spfWith(undefined, google)).toBe('v=spf1 include:_spf.google.com ~all')
    expect(spfWith(undefined, [])).toBe('v=spf1 mx ~all')
    expect(spfWith('v=spf1 ip4:192.0.2.1 -all', google)).toBe('v=spf1 ip4:192.0.2.1 include:_spf.google.com -all')
    expect(spfWith('v=spf1 a redirect=x.test', google)).toBe('v=spf1 a include:_spf.google.com redirect=x.test')
    expect(spfWith('v=spf1 +Include:_SPF.google.com ~all', google)).toBe('v=spf1 +Include:_SPF.google.com ~all')
    expect(lacksOf('v=spf1 include:_spf.google.com.evil.test ~all', google)).toEqual(google)
  })

  test.each([
    [null, 'unanswered', 'did not answer'],
    [[], 'missing', 'has no SPF record'],
    [['google-site-verification=1', 'v=spf10 all'], 'missing', 'has no SPF record'],
    [['v=spf1 -all', 'v=spf1 ~all'], 'wrong', 'several'],
    [['v=spf1 -all'], 'wrong', 'does not name include:_spf.google.com'],
    [['V=SPF1 include:_spf.google.com -all'], 'right', 'names the servers'],
  ])('of %j, SPF is %s', (answer, state, words) => {
    const finding = judgeSpf('acme.test', answer, ['include:_spf.google.com'])
    expect(finding).toMatchObject({ state, sentence: expect.stringContaining(words) })
  })
})

test.each([
  [null, 'unanswered'],
  [[], 'missing'],
  [['v=DMARC10; p=none'], 'missing'],
  [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'wrong'],
  [['v=DMARC1'], 'wrong'],
  [['v=DMARC1; p=perhaps'], 'wrong'],
  [['v=DMARC1;p=Quarantine'], 'right'],
])('of %j, DMARC is %s', (answer, state) => {
  expect(judgeDmarc('acme.test', answer).state).toBe(state)
})
