import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, untilListening } from '#tests/support/browser/guest.ts'
import { testApp } from '#tests/support/server/app.ts'

const app = testApp()
const chromium = testBrowser()

const PAGES = ['/overview', '/team', '/audit', '/settings']

type Ids = { workspace: string; member: string; person: string; invitation: string }

describe('two people in two workspaces', () => {
  let olga: Guest
  let otto: Guest
  let olgas: Ids
  let ottos: Ids

  beforeAll(async () => {
    olga = await Guest.enter(app, chromium.browser)
    otto = await Guest.enter(app, chromium.browser)
    await olga.setUp('olga@example.com', 'Acme', 'Olga Owner')
    await olga.ask('POST', '/api/invitations', { email: 'otto@example.com', role: 'member' })
    await otto.join(await linkMailedTo(app, 'otto@example.com'), 'Otto Other')
    await otto.ask('DELETE', '/api/members/me')
    const { id } = await otto.ask<{ id: string }>('POST', '/api/workspaces', { name: 'Globex', timeZone: 'Asia/Tokyo' })
    await otto.ask('PATCH', '/api/session', { workspaceId: id })
    await olga.ask('POST', '/api/invitations', { email: 'friend-of-acme@example.com', role: 'admin' })
    await otto.ask('POST', '/api/invitations', { email: 'friend-of-globex@example.com', role: 'admin' })
    olgas = await idsOf(olga)
    ottos = await idsOf(otto)
  })
  afterAll(async () => {
    await olga.leave()
    await otto.leave()
  })

  test('neither sees anything of the other on any page', async () => {
    const seen = { olga: await wholePages(olga), otto: await wholePages(otto) }
    // What is theirs is there, so that what is missing is not missing by accident.
    for (const own of ['Acme', 'Olga Owner', 'friend-of-acme@example.com', 'Europe/Berlin']) {
      expect(seen.olga).toContain(own)
    }
    for (const own of ['Globex', 'Otto Other', 'friend-of-globex@example.com', 'Asia/Tokyo']) {
      expect(seen.otto).toContain(own)
    }
    // Otto was in Acme once, and its log keeps that; so Olga knows him and his address, and nothing of Globex.
    const { person: _known, ...ofGlobex } = ottos
    for (const foreign of [
      'Globex',
      'Otto Other',
      'friend-of-globex@example.com',
      'Asia/Tokyo',
      ...Object.values(ofGlobex),
    ]) {
      expect(seen.olga).not.toContain(foreign)
    }
    // Acme's zone is that of everybody's browser, which stands in the titles of dates.
    for (const foreign of ['Acme', 'Olga', 'friend-of-acme@example.com', ...Object.values(olgas)]) {
      expect(seen.otto).not.toContain(foreign)
    }
    expect([...olga.complaints, ...otto.complaints]).toEqual([])
  })

  test("the other's ids lead nowhere, whatever a page asks with them", async () => {
    for (const [intruder, own, foreign] of [
      [olga, olgas, ottos],
      [otto, ottos, olgas],
    ] as const) {
      intruder.expectedStatus.add(404)
      const page = await intruder.open('/team')
      const before = { people: await peopleOf(olga), others: await peopleOf(otto) }
      const asks: [string, string, object?, string?][] = [
        ['GET', `/api/workspaces/${foreign.workspace}`],
        ['PATCH', `/api/workspaces/${foreign.workspace}`, { name: 'Mine now' }],
        ['PATCH', '/api/session', { workspaceId: foreign.workspace }],
        ['PATCH', `/api/members/${foreign.member}`, { role: 'member' }],
        ['DELETE', `/api/members/${foreign.member}`],
        ['DELETE', `/api/invitations/${foreign.invitation}`],
        ['POST', `/api/invitations/${foreign.invitation}/resend`, {}],
        ['GET', '/api/members', undefined, foreign.workspace],
        ['GET', '/api/invitations', undefined, foreign.workspace],
        ['POST', '/api/invitations', { email: 'spy@example.com', role: 'admin' }, foreign.workspace],
        ['GET', '/api/audit', undefined, foreign.workspace],
        ['POST', '/api/audit/export', {}, foreign.workspace],
        ['DELETE', '/api/members/me', undefined, foreign.workspace],
      ]
      for (const [method, path, body, workspaceId] of asks) {
        const answer = await askFromPage(page, { method, path, body, workspaceId })
        expect([answer.status, method, path]).toEqual([404, method, path])
        for (const secret of ['Acme', 'Globex']) expect(answer.text).not.toContain(secret)
      }
      const mine = await askFromPage(page, { method: 'GET', path: `/api/audit?actorId=${foreign.person}` })
      expect(mine.text).not.toContain(foreign.workspace)
      expect((await askFromPage(page, { method: 'GET', path: `/api/workspaces/${own.workspace}` })).status).toBe(200)
      expect({ people: await peopleOf(olga), others: await peopleOf(otto) }).toEqual(before)
      await page.close()
    }
  })
})

describe('one person in two workspaces', () => {
  test('sees only the one that they are in, and another tab stays where it was', async () => {
    const zoe = await Guest.enter(app, chromium.browser)
    const olga = await Guest.enter(app, chromium.browser)
    await olga.signIn('olga@example.com')
    await olga.ask('POST', '/api/invitations', { email: 'zoe@example.com', role: 'admin' })
    await zoe.join(await linkMailedTo(app, 'zoe@example.com'), 'Zoe Zwei')
    await zoe.ask('POST', '/api/workspaces', { name: 'Initech', timeZone: 'America/Lima' })

    const page = await zoe.open('/team')
    const other = await zoe.open('/settings')
    await page.getByRole('cell', { name: 'olga@example.com' }).waitFor()
    await page.getByRole('row', { name: 'friend-of-acme@example.com' }).waitFor()

    await page.getByRole('button', { name: 'Workspace: Acme' }).click()
    await page.getByRole('menuitemradio', { name: 'Initech' }).click()
    await page.getByRole('button', { name: 'Workspace: Initech' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/team')
    await page.getByText('Nobody is waiting').waitFor()
    await page.getByRole('cell', { name: 'zoe@example.com' }).waitFor()
    expect(
      await page
        .getByText(/olga|acme/i)
        .filter({ visible: true })
        .count(),
    ).toBe(0)
    await page.close()

    const seen = await mainParts(zoe)
    expect(seen).toContain('Initech')
    for (const foreign of ['Acme', 'olga@example.com', 'friend-of-acme@example.com']) {
      expect(seen).not.toContain(foreign)
    }

    await untilListening(other)
    await other.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click()
    await other.getByRole('cell', { name: 'olga@example.com' }).waitFor()
    await other.getByRole('button', { name: 'Workspace: Acme' }).waitFor()
    expect(zoe.complaints).toEqual([])
    await zoe.leave()
    await olga.leave()
  })
})

async function idsOf(guest: Guest): Promise<Ids> {
  const { workspace, person } = await guest.ask<{ workspace: { id: string }; person: { id: string } }>(
    'GET',
    '/api/session',
  )
  const { members } = await guest.ask<{ members: { id: string }[] }>('GET', '/api/members')
  const { invitations } = await guest.ask<{ invitations: { id: string }[] }>('GET', '/api/invitations')
  const [member, invitation] = [members[0], invitations[0]]
  if (!member || !invitation) throw new Error('a workspace of this story has one member and one invitation')
  return { workspace: workspace.id, member: member.id, person: person.id, invitation: invitation.id }
}

async function peopleOf(guest: Guest) {
  return [await guest.ask('GET', '/api/members'), await guest.ask('GET', '/api/invitations')]
}

/** The whole of each page, once it has loaded: what it shows, and what came along unseen. */
const wholePages = (guest: Guest) => readPages(guest, (page) => page.content())

/** Without the menus, which name the other workspaces of the person. */
const mainParts = (guest: Guest) => readPages(guest, (page) => page.locator('main').innerHTML())

async function readPages(guest: Guest, read: (page: Page) => Promise<string>): Promise<string> {
  const texts: string[] = []
  for (const address of PAGES) {
    const page = await guest.open(address)
    await expect.poll(() => page.locator('main .animate-pulse-calm').count()).toBe(0)
    texts.push(await read(page))
    await page.close()
  }
  return texts.join('\n')
}

type Ask = { method: string; path: string; body?: object; workspaceId?: string }

/** As a script of the page itself would, with its cookies and its origin. */
function askFromPage(page: Page, ask: Ask): Promise<{ status: number; text: string }> {
  return page.evaluate(async ({ method, path, body, workspaceId }) => {
    const response = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json', ...(workspaceId && { 'x-workspace-id': workspaceId }) },
      body: body && JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }, ask)
}
