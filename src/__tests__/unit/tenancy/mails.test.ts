import { expect, test } from 'vitest'
import { invitationMail, passwordResetMail } from '#lib/tenancy/people/mails.ts'

const invitation = {
  id: 'x',
  email: 'max@example.com',
  role: 'admin' as const,
  inviterName: '<img src=x onerror=alert(1)>',
  workspaceName: 'Söhne & "Co"',
  createdAt: new Date(0),
  expiresAt: new Date(0),
  expired: false,
  token: 'the-token',
  mailId: null,
}

test('names that people chose are text in a mail, never markup', () => {
  const { html, text, subject } = invitationMail('https://mail.example.com', invitation)
  expect(html).not.toContain('<img')
  expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;')
  expect(html).toContain('Söhne &#38; &#34;Co&#34;')
  expect(text).toContain('Söhne & "Co"')
  expect(subject).toContain('Söhne & "Co"')
})

test('links lead to our own address and carry the token where no server sees it', () => {
  const link = 'https://mail.example.com/invitation#token=the-token'
  expect(invitationMail('https://mail.example.com', invitation).text).toContain(`\n${link}\n`)
  expect(invitationMail('https://mail.example.com', invitation).html).toContain(`href="${link}"`)
  const reset = passwordResetMail('http://localhost:3000', { name: 'Max', email: 'max@example.com' }, 'abc')
  expect(reset.text).toContain('\nhttp://localhost:3000/reset-password#token=abc\n')
})
