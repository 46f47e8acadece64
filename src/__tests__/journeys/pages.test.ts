import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findingsOn, LOOKS } from '#tests/support/accessibility.ts'
import { testApp } from '#tests/support/app.ts'
import { testBrowser } from '#tests/support/browser.ts'
import { pageAddresses } from '#tests/support/pages.ts'
import { Guest, linkMailedTo, untilListening } from '#tests/support/people.ts'

/**
 * Every page, in every state that a person may find it in, in every look. A page on disk without a scene below fails:
 * add its scenes with the page.
 */
type Scene = {
  /** What is special about it; also the name of its picture, for SCREENSHOTS=folder. */
  state: string
  as: 'nobody' | 'owner' | 'admin' | 'member' | 'loner' | 'outcast'
  address?: () => string
  /** The API answers this with 503 while the scene lasts. */
  broken?: string
  /** Seen once everything has come. */
  ready: (page: Page) => ReturnType<Page['getByText']>
  /** Further into the page: a dialog. */
  afterwards?: (page: Page) => Promise<void>
}

const app = testApp()
const chromium = testBrowser()
const guests = new Map<Scene['as'], Guest>()
const links = { fresh: '', known: '', spent: '' }

const LONG_NAME = 'Maximiliane-Wilhelmine von und zu Hohenlohe-Schillingsfürst-Waldenburg'
const LONG_EMAIL = 'maximiliane.wilhelmine.von.und.zu.hohenlohe-schillingsfuerst@a-rather-long-company-name.example.com'

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true })
const text = (words: string) => (page: Page) => page.getByText(words).first()
const healthy = text('Postgres answers')

const FIRST_RUN: Record<string, Scene[]> = {
  '/': [{ state: 'first run', as: 'nobody', ready: healthy }],
  '/setup': [
    { state: 'fresh', as: 'nobody', ready: heading('Welcome to Sendonce') },
    {
      state: 'refused',
      as: 'nobody',
      ready: heading('Welcome to Sendonce'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Set up Sendonce' }).click()
        await page.getByText('A name is needed.').waitFor()
      },
    },
  ],
}

const SCENES: Record<string, Scene[]> = {
  '/': [
    { state: 'signed out', as: 'nobody', ready: healthy },
    { state: 'signed in', as: 'owner', ready: healthy },
    { state: 'broken', as: 'nobody', broken: '/api/health', ready: text('No answer') },
  ],
  '/sign-in': [
    { state: 'fresh', as: 'nobody', ready: heading('Sign in') },
    {
      state: 'session ended',
      as: 'nobody',
      address: () => '/sign-in?next=%2Fteam&notice=session-ended',
      ready: text('Your session has ended.'),
    },
    {
      state: 'wrong',
      as: 'nobody',
      ready: heading('Sign in'),
      afterwards: async (page) => {
        await page.getByLabel('Email').fill(LONG_EMAIL)
        await page.getByLabel('Password', { exact: true }).fill('guessed wrong')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByText('The email address or the password is wrong.').waitFor()
      },
    },
  ],
  '/forgot-password': [
    { state: 'fresh', as: 'nobody', ready: heading('Forgot your password?') },
    {
      state: 'asked',
      as: 'nobody',
      ready: heading('Forgot your password?'),
      afterwards: async (page) => {
        // A new address each time: one account may ask only a few times an hour.
        await page.getByLabel('Email').fill(`${crypto.randomUUID()}@nobody.example.com`)
        await page.getByRole('button', { name: 'Send me a link' }).click()
        await page.getByText('is on its way').waitFor()
      },
    },
  ],
  '/reset-password': [
    { state: 'incomplete', as: 'nobody', ready: text('This link is not complete') },
    {
      state: 'fresh',
      as: 'nobody',
      address: () => '/reset-password#token=never-looked-at',
      ready: (page) => page.getByLabel('New password'),
    },
    {
      state: 'spent',
      as: 'nobody',
      address: () => '/reset-password#token=guessed',
      ready: (page) => page.getByLabel('New password'),
      afterwards: async (page) => {
        await page.getByLabel('New password').fill('a good long password')
        await page.getByRole('button', { name: 'Change the password' }).click()
        await page.getByText('This link has been used already').waitFor()
      },
    },
  ],
  '/invitation': [
    { state: 'incomplete', as: 'nobody', ready: heading('This link is not complete') },
    {
      state: 'spent',
      as: 'nobody',
      address: () => links.spent,
      ready: heading('This invitation does not work any more'),
    },
    {
      state: 'spent, signed in',
      as: 'owner',
      address: () => links.spent,
      ready: heading('This invitation does not work any more'),
    },
    {
      state: 'somebody new',
      as: 'nobody',
      address: () => links.fresh,
      ready: (page) => page.getByLabel('Choose a password'),
    },
    {
      state: 'with an account',
      as: 'nobody',
      address: () => links.known,
      ready: (page) => page.getByLabel('Password', { exact: true }),
    },
    {
      state: 'signed in',
      as: 'loner',
      address: () => links.known,
      ready: (page) => page.getByRole('button', { name: 'Join' }),
    },
    {
      state: 'wrong account',
      as: 'owner',
      address: () => links.fresh,
      ready: text('You are signed in as somebody else'),
    },
    {
      state: 'broken',
      as: 'nobody',
      address: () => links.fresh,
      broken: '/api/invitations/preview',
      ready: (page) => page.getByRole('button', { name: 'Try again' }),
    },
  ],
  '/overview': [
    { state: 'full', as: 'owner', ready: text(LONG_NAME) },
    { state: 'empty', as: 'loner', ready: text('Loner') },
    { state: 'a member', as: 'member', ready: text(LONG_NAME) },
    { state: 'no workspace', as: 'outcast', ready: heading('You are in no workspace') },
    { state: 'broken', as: 'owner', broken: '/api/members', ready: text('The members could not be loaded.') },
    {
      state: 'command menu',
      as: 'owner',
      ready: text(LONG_NAME),
      afterwards: async (page) => {
        await page.keyboard.press('Control+k')
        await page.getByPlaceholder('Go to a page').waitFor()
      },
    },
    {
      state: 'shortcuts',
      as: 'owner',
      ready: text(LONG_NAME),
      afterwards: async (page) => {
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      },
    },
    {
      state: 'new workspace',
      as: 'owner',
      ready: text(LONG_NAME),
      afterwards: async (page) => {
        await page.keyboard.press('Control+k')
        await page.keyboard.type('create a work')
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: 'New workspace' }).waitFor()
      },
    },
  ],
  '/team': [
    { state: 'full', as: 'owner', ready: text('late@example.com') },
    { state: 'empty', as: 'loner', ready: text('Nobody is waiting') },
    { state: 'an admin', as: 'admin', ready: text('late@example.com') },
    { state: 'a member', as: 'member', ready: text(LONG_EMAIL) },
    { state: 'broken', as: 'owner', broken: '/api/members', ready: text('The members could not be loaded.') },
    {
      state: 'inviting',
      as: 'owner',
      address: () => '/team?invite=yes',
      ready: (page) => page.getByRole('dialog', { name: /^Invite to/ }),
    },
    {
      state: 'removing',
      as: 'owner',
      ready: text('late@example.com'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: `Actions for ${LONG_NAME}` }).click()
        await page.getByRole('menuitem', { name: 'Remove' }).click()
        await page.getByRole('dialog').waitFor()
      },
    },
  ],
  '/audit': [
    { state: 'full', as: 'owner', ready: text('sent the invitation again to') },
    {
      state: 'open',
      as: 'owner',
      address: () => '/audit?action=member.role-changed',
      ready: text('changed the role of'),
      afterwards: (page) => page.locator('summary').first().click(),
    },
    {
      state: 'empty',
      as: 'loner',
      address: () => '/audit?action=member.removed&from=2026-01-01',
      ready: text('Nothing fits these filters'),
    },
    { state: 'no access', as: 'member', ready: heading('The audit log is for admins and owners') },
    { state: 'broken', as: 'owner', broken: '/api/audit?*', ready: text('The audit log could not be loaded.') },
  ],
  '/settings': [
    { state: 'full', as: 'owner', ready: (page) => page.getByLabel('Workspace name') },
    { state: 'changing', as: 'loner', ready: text('Changes to Asia/Tokyo') },
    { state: 'a member', as: 'member', ready: text('You can see these settings.') },
    { state: 'broken', as: 'owner', broken: '/api/workspaces/*', ready: text('The settings could not be loaded.') },
  ],
}

const guest = (as: Scene['as']): Guest => {
  const found = guests.get(as)
  if (!found) throw new Error(`nobody is ${as}`)
  return found
}

beforeAll(async () => {
  for (const as of ['nobody', 'owner', 'admin', 'member', 'loner', 'outcast'] as const) {
    guests.set(as, await Guest.enter(app, chromium.browser))
  }
  await fetch(`${app.url}/api/cron/send-emails`, { headers: { authorization: `Bearer ${app.cronSecret}` } })
})

afterEach(() => {
  for (const { complaints } of guests.values()) complaints.splice(0)
})

afterAll(async () => {
  for (const each of guests.values()) await each.leave()
})

test('every page on disk has its scenes, and every scene its page', () => {
  expect([...new Set([...Object.keys(FIRST_RUN), ...Object.keys(SCENES)])].sort()).toEqual(pageAddresses())
})

describe('before anybody is here', () => play(FIRST_RUN))

describe('with people and their work', () => {
  beforeAll(populate)
  play(SCENES)
})

function play(scenes: Record<string, Scene[]>): void {
  const all = Object.entries(scenes).flatMap(([path, ofPage]) => ofPage.map((scene) => ({ path, ...scene })))
  describe.each(all)('$path, $state, as $as', (scene) => {
    test.each(LOOKS)('$name', (look) => see(scene, look))
  })
}

async function see({ path, ...scene }: Scene & { path: string }, look: (typeof LOOKS)[number]): Promise<void> {
  const { context, complaints } = guest(scene.as)
  const page = await context.newPage()
  await page.setViewportSize({ width: look.width, height: look.height })
  await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' })
  if (scene.broken) {
    await page.route(`**${scene.broken}`, (route) => route.fulfill({ status: 503, body: 'restarting' }))
  }
  await page.goto(scene.address?.() ?? path)
  await scene.ready(page).waitFor()
  await untilListening(page)
  await scene.afterwards?.(page)

  const folder = process.env.SCREENSHOTS
  const picture = `${path.slice(1) || 'front'}, ${scene.state}, ${look.name}.png`.replaceAll(/[, ]+/g, '-')
  if (folder) await page.screenshot({ path: join(folder, picture) })

  // A dialog hides what is behind it from everybody, headings too.
  const hasDialog = (await page.getByRole('dialog').count()) > 0
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(hasDialog ? 0 : 1)
  expect(await page.title()).toMatch(path === '/' ? /^Sendonce$/ : /^.+ · Sendonce$/)
  expect(await findingsOn(page)).toEqual([])
  // The browser itself reports each answer that is a refusal; those are the scene.
  expect(complaints.filter((line) => !/Failed to load resource/.test(line))).toEqual([])
  await page.close()
}

async function populate(): Promise<void> {
  const owner = guest('owner')
  await owner.setUp('olga@example.com', 'Acme')
  const invite = (host: Guest, email: string, role: string) =>
    host.ask<{ invitation: { id: string } }>('POST', '/api/invitations', { email, role })
  const join = async (as: Guest, email: string, name: string, role: string) => {
    await invite(owner, email, role)
    await as.join(await linkMailedTo(app, email), name)
  }
  await join(guest('admin'), 'adam@example.com', 'Adam Admin', 'admin')
  await join(guest('member'), LONG_EMAIL, LONG_NAME, 'member')
  await join(guest('loner'), 'loner@example.com', 'Loner', 'member')
  await join(guest('outcast'), 'outcast@example.com', 'Outcast', 'admin')

  // A workspace of one, with its zone about to change; and somebody who is nowhere any more.
  const elsewhere = await guest('loner').ask<{ id: string }>('POST', '/api/workspaces', {
    name: 'A second workspace whose name is far longer than any menu is wide',
    timeZone: 'Europe/Berlin',
  })
  await guest('loner').ask('PATCH', '/api/session', { workspaceId: elsewhere.id })
  await guest('loner').ask('PATCH', `/api/workspaces/${elsewhere.id}`, { timeZone: 'Asia/Tokyo' })
  const { members } = await owner.ask<{ members: { id: string; email: string }[] }>('GET', '/api/members')
  const idOf = (email: string) => members.find((member) => member.email === email)?.id
  await owner.ask('PATCH', `/api/members/${idOf('outcast@example.com')}`, { role: 'member' })
  for (const email of ['outcast@example.com', 'loner@example.com']) {
    await owner.ask('DELETE', `/api/members/${idOf(email)}`)
  }

  await invite(owner, 'loner@example.com', 'member')
  links.known = await linkMailedTo(app, 'loner@example.com', 'Acme')
  const again = await invite(owner, 'new@example.com', 'admin')
  links.spent = await linkMailedTo(app, 'new@example.com')
  await owner.ask('POST', `/api/invitations/${again.invitation.id}/resend`)
  links.fresh = await linkMailedTo(app, 'new@example.com')
  await invite(owner, `new-${LONG_EMAIL}`, 'member')
  const late = await invite(owner, 'late@example.com', 'owner')
  await app.sql(`UPDATE invitations SET expires_at = created_at WHERE id = '${late.invitation.id}'`)
}
