import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, mailCount, mailTo, PASSWORD, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()
const chromium = testBrowser()

describe('the people of a workspace', () => {
  let olga: Guest
  let team: Page
  let max: Guest
  let maxPage: Page

  beforeAll(async () => {
    olga = await Guest.enter(app, chromium.browser)
    max = await Guest.enter(app, chromium.browser)
    await olga.setUp()
    team = await olga.open('/team')
  })
  afterAll(async () => {
    await olga.leave()
    await max.leave()
  })

  async function inviteByDialog(email: string) {
    await team.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = team.getByRole('dialog', { name: 'Invite to Acme' })
    await dialog.getByLabel('Email').fill(email)
    await dialog.getByRole('button', { name: 'Send invitation' }).dblclick()
    await dialog.waitFor({ state: 'hidden' })
    await waitingFor(email).waitFor()
  }

  const waitingFor = (email: string) =>
    team.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: email })
  const memberRow = (name: string) => team.getByRole('table', { name: 'Members' }).getByRole('row', { name })

  test('a double click on the button invites once, and mails once', async () => {
    await inviteByDialog('max@example.com')
    await team.getByText('The invitation to max@example.com is on its way.').waitFor()
    expect(await waitingFor('max@example.com').count()).toBe(1)
    await mailTo(app, 'max@example.com')

    // Mails go out one after the other: with a later one there, a second of the first would be there too.
    await inviteByDialog('later@example.com')
    await mailTo(app, 'later@example.com')
    expect(await mailCount(app, 'max@example.com')).toBe(1)
    const { invitations } = await olga.ask<{ invitations: { email: string }[] }>('GET', '/api/invitations')
    expect(invitations.map(({ email }) => email)).toEqual(['later@example.com', 'max@example.com'])
  })

  test('the same address is not invited a second time, and the dialog says what to do', async () => {
    olga.expectedStatus.add(409)
    await team.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = team.getByRole('dialog', { name: 'Invite to Acme' })
    await dialog.getByLabel('Email').fill('MAX@example.com')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await dialog.getByRole('alert').getByText('max@example.com is invited already.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await mailCount(app, 'max@example.com')).toBe(1)
    olga.expectedStatus.delete(409)
  })

  test('a new person comes in by the link of the mail in the catcher', async () => {
    const { id } = await mailTo(app, 'max@example.com', 'invited you to Acme')
    const inbox = await max.context.newPage()
    await inbox.goto(app.inCatcher(`/m/${id}`))
    const mail = inbox.frameLocator('iframe[title="The mail as its reader sees it"]')
    const [page] = await Promise.all([
      max.context.waitForEvent('page'),
      mail.getByRole('link', { name: 'Accept the invitation' }).click(),
    ])
    await inbox.close()
    maxPage = page
    await maxPage.getByRole('heading', { name: 'Join Acme' }).waitFor()
    await maxPage.getByText('Olga Owner invited max@example.com as a member.').waitFor()
    await untilListening(maxPage)
    expect(await maxPage.getByLabel('Email').isEditable()).toBe(false)
    await maxPage.getByLabel('Your name').fill('Max Member')
    await maxPage.getByLabel('Choose a password').fill(PASSWORD)
    await maxPage.getByRole('button', { name: 'Join', exact: true }).click()

    await maxPage.waitForURL('/overview')
    await maxPage.getByRole('button', { name: 'Workspace: Acme' }).waitFor()
    await team.reload()
    await memberRow('Max Member').waitFor()
    expect(await waitingFor('max@example.com').count()).toBe(0)
  })

  test('a used link says so when it is opened again', async () => {
    const stranger = await Guest.enter(app, chromium.browser)
    stranger.expectedStatus.add(410)
    const page = await stranger.context.newPage()
    await page.goto(await linkMailedTo(app, 'max@example.com'))
    await page.getByRole('heading', { name: 'This invitation does not work any more' }).waitFor()
    await page.getByText('It has been used, revoked or has expired').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL('/sign-in')
    expect(stranger.complaints).toEqual([])
    await stranger.leave()
  })

  test('a revoked link says so, even where it was open already', async () => {
    const late = await Guest.enter(app, chromium.browser)
    late.expectedStatus.add(410)
    const link = await linkMailedTo(app, 'later@example.com')
    const page = await late.open(link)
    await page.getByRole('heading', { name: 'Join Acme' }).waitFor()

    await untilListening(team)
    await waitingFor('later@example.com').getByRole('button', { name: 'Actions for later@example.com' }).click()
    await team.getByRole('menuitem', { name: 'Revoke…' }).click()
    const question = team.getByRole('dialog', { name: 'Revoke the invitation?' })
    await question.getByRole('button', { name: 'Revoke' }).click()
    await question.waitFor({ state: 'hidden' })
    await team.getByText('Nobody is waiting').waitFor()

    await untilListening(page)
    await page.getByLabel('Your name').fill('Lara Late')
    await page.getByLabel('Choose a password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await page.getByRole('alert').getByText('This invitation does not work any more').waitFor()
    const again = await late.context.newPage()
    await again.goto(link)
    await again.getByRole('heading', { name: 'This invitation does not work any more' }).waitFor()
    const body = { email: 'later@example.com', password: PASSWORD }
    expect((await late.call('POST', '/api/session', body)).status()).toBe(401)
    expect(late.complaints).toEqual([])
    await late.leave()
  })

  test('a changed role is asked about first, and opens what it allows', async () => {
    await maxPage.goto('/audit')
    await maxPage.getByText('The audit log is for admins and owners').waitFor()
    expect((await max.call('GET', '/api/invitations')).status()).toBe(403)

    const role = memberRow('Max Member').getByLabel('Role of Max Member')
    await role.click()
    await team.getByRole('option', { name: 'Admin' }).click()
    const question = team.getByRole('dialog', { name: 'Change the role of Max Member?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await role.textContent()).toBe('Member')

    await role.click()
    await team.getByRole('option', { name: 'Admin' }).click()
    await question.getByRole('button', { name: 'Change role' }).click()
    await team.getByText('Max Member is an admin now.').waitFor()
    await expect.poll(() => role.textContent()).toBe('Admin')

    await maxPage.goto('/audit')
    const log = maxPage.getByRole('table', { name: 'Audit log' })
    await log.getByRole('row').filter({ hasText: 'changed the role of max@example.com' }).waitFor()
    await maxPage.goto('/team')
    await maxPage.getByRole('button', { name: 'Invite', exact: true }).waitFor()
  })

  test('a removed person is out at the next click, and the log keeps who did it', async () => {
    const nav = maxPage.getByRole('navigation', { name: 'Main' })
    await untilListening(maxPage)
    await nav.getByRole('link', { name: 'Workspace settings' }).click()
    await maxPage.getByRole('heading', { name: 'Workspace settings' }).waitFor()
    await memberRow('Max Member').getByRole('button', { name: 'Actions for Max Member' }).click()
    await team.getByRole('menuitem', { name: 'Remove…' }).click()
    const question = team.getByRole('dialog', { name: 'Remove Max Member?' })
    await question.getByText('max@example.com loses access to Acme at once').waitFor()
    for (const status of [403, 404]) max.expectedStatus.add(status)
    await question.getByRole('button', { name: 'Remove' }).click()
    await team.getByText('Max Member is removed.').waitFor()
    await memberRow('Max Member').waitFor({ state: 'hidden' })

    // The team stands in the memory of that tab; it is not shown from there. The page may notice before the click.
    const out = maxPage.getByRole('heading', { name: 'You are in no workspace' })
    await nav.getByRole('link', { name: 'Team' }).or(out).click()
    await out.waitFor()
    expect(await maxPage.getByText('olga@example.com').count()).toBe(0)
    for (const path of ['/api/members', '/api/audit', '/api/invitations']) {
      expect((await max.call('GET', path)).status(), path).toBe(403)
    }

    await team.goto('/audit')
    const entry = team.getByRole('row', { name: 'olga@example.com' }).filter({ hasText: 'removed max@example.com' })
    await entry.waitFor()
  })

  test('nothing complained in the console all along', () => {
    expect([...olga.complaints, ...max.complaints]).toEqual([])
  })
})
