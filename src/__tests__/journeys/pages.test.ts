import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findingsOfColours, findingsOn, SCREENS, turn } from '#tests/support/browser/accessibility.ts'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest, linkMailedTo, PATIENTLY, pressPageKey, untilListening } from '#tests/support/browser/guest.ts'
import { launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { pageAddresses } from '#tests/support/browser/pages.ts'
import { testApp } from '#tests/support/server/app.ts'

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
  /** What the world is like while the scene lasts, and how it is put back. */
  given?: () => Promise<unknown>
  undone?: () => Promise<unknown>
  /** Further into the page: a dialog. */
  afterwards?: (page: Page) => Promise<void>
}

const app = testApp()
const chromium = testBrowser()
const guests = new Map<Scene['as'], Guest>()
const links = {
  fresh: '',
  known: '',
  spent: '',
  sequence: '',
  launched: '',
  elsewhere: '',
  archived: '',
  draft: '',
  running: '',
  full: '',
  scheduled: '',
  ended: '',
  failed: '',
  unknown: '',
  waiting: '',
  webhook: '',
  delivery: '',
}
const people = { ada: '', erased: '', merged: '', importId: '', unfinishedId: '' }

const LONG_NAME = 'Maximiliane-Wilhelmine von und zu Hohenlohe-Schillingsfürst-Waldenburg'
const LONG_EMAIL = 'maximiliane.wilhelmine.von.und.zu.hohenlohe-schillingsfuerst@a-rather-long-company-name.example.com'

const PASTED = `E-Mail\tVorname\tStadt\tKundennummer\tBemerkung, so lang wie man sie nur schreiben kann\n${'ada@example.com\tAda\tLondon\t4711\tDie erste\n'.repeat(3)}`

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true })
const text = (words: string) => (page: Page) => page.getByText(words).first()
const field = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true })
const healthy = text('Postgres answers')

/** As if the data came from another server, in the middle of its work. */
const HELD: Pick<Scene, 'given' | 'undone'> = {
  given: async () => {
    await app.sql(`UPDATE server_sightings SET server = '7123456789012345678/1'`)
    await app.sql(
      `INSERT INTO server_sightings (server, oids, reason, noticed_at, last_sign_at)
       VALUES (database_server(), database_oids(), 'CHANGED', now(), now() - interval '1 day')`,
    )
    await app.sql(
      `INSERT INTO emails_in_doubt (sighting_id, email_id, doubt, at)
       SELECT s.id, e.id, 'IN_BETWEEN', e.scheduled_for FROM server_sightings s, scheduled_emails e
       WHERE s.lifted_at IS NULL AND e.status = 'SCHEDULED'`,
    )
  },
  undone: async () => {
    await app.sql('DELETE FROM server_sightings WHERE lifted_at IS NULL')
    await app.sql('UPDATE server_sightings SET server = database_server()')
  },
}

/** Found in the workspace with the campaigns, while a round is under way. */
const BROKEN: Pick<Scene, 'given' | 'undone'> = {
  given: async () => {
    await app.sql(
      `INSERT INTO promise_findings (invariant, key, walk, workspace_id)
       SELECT 'steps-in-order', id::text, 'emails', workspace_id FROM scheduled_emails WHERE kind = 'CAMPAIGN' LIMIT 3`,
    )
    await app.sql(
      `UPDATE promise_walks SET cursor = '00000000-0000-0000-0000-000000000000', round_rows = 1234, last_round_rows = 5678 WHERE walk = 'emails'`,
    )
    await app.sql(`UPDATE promise_walks SET trouble = 'invalid page' WHERE walk = 'enrolments'`)
  },
  undone: async () => {
    await app.sql('DELETE FROM promise_findings')
    await app.sql(`UPDATE promise_walks SET cursor = NULL, last_round_rows = 0, trouble = NULL`)
  },
}

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
      state: 'a new person',
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
      ready: text('You are signed in as another person'),
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
    { state: 'full', as: 'owner', ready: heading('By hour') },
    { state: 'new', as: 'loner', ready: heading('Four steps to your first email') },
    { state: 'a member', as: 'member', ready: heading('By hour') },
    {
      state: 'the figures',
      as: 'owner',
      ready: heading('By hour'),
      afterwards: async (page) => {
        for (const figures of ['hour by hour', 'day by day']) await page.getByText(`The figures, ${figures}`).click()
      },
    },
    {
      state: 'behind a figure',
      as: 'owner',
      ready: heading('By hour'),
      afterwards: async (page) => {
        await page.getByRole('link', { name: /still to go/ }).click()
        await page.getByRole('dialog', { name: 'Planned' }).getByRole('link').first().waitFor()
      },
    },
    { state: 'no workspace', as: 'outcast', ready: heading('You are in no workspace') },
    { state: 'lost', as: 'owner', broken: '/api/overview', ready: text('The server does not answer.') },
    {
      state: 'command menu',
      as: 'owner',
      ready: heading('By hour'),
      afterwards: async (page) => {
        await page.keyboard.press('Control+k')
        await page.getByPlaceholder('Go to a page').waitFor()
      },
    },
    {
      state: 'shortcuts',
      as: 'owner',
      ready: heading('By hour'),
      afterwards: async (page) => {
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      },
    },
    {
      state: 'new workspace',
      as: 'owner',
      ready: heading('By hour'),
      afterwards: async (page) => {
        await page.keyboard.press('Control+k')
        await page.keyboard.type('create a work')
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: 'New workspace' }).waitFor()
      },
    },
  ],
  '/sequences': [
    { state: 'full', as: 'owner', ready: text('A sequence whose name') },
    { state: 'nearly empty', as: 'loner', ready: text('New sequence') },
    { state: 'archived', as: 'member', address: () => '/sequences?show=archived', ready: text('Put away') },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/sequences?q=nothing-like-it',
      ready: text('No sequence fits'),
    },
    { state: 'lost', as: 'owner', broken: '/api/sequences?*', ready: text('The server does not answer.') },
  ],
  '/sequences/[id]': [
    { state: 'full', as: 'member', address: () => links.sequence, ready: text('There is no field nick') },
    { state: 'new', as: 'loner', address: () => links.elsewhere, ready: field('Text of step 1') },
    { state: 'not there', as: 'owner', address: () => '/sequences/nowhere', ready: text('This sequence is not there') },
    { state: 'archived', as: 'owner', address: () => links.archived, ready: text('This sequence is archived') },
    {
      state: 'lost',
      as: 'owner',
      address: () => links.sequence,
      broken: '/api/sequences/*',
      ready: text('The server does not answer.'),
    },
    {
      state: 'a chip',
      as: 'owner',
      address: () => links.sequence,
      ready: field('Subject of step 1'),
      afterwards: async (page) => {
        await field('Subject of step 1')(page).getByText('First name').click()
        await page.getByLabel('Fallback').waitFor()
      },
    },
    {
      state: 'links',
      as: 'owner',
      address: () => `${links.sequence}?step=3&view=links`,
      ready: text('Link “click here”'),
    },
    {
      state: 'raw',
      as: 'owner',
      address: () => `${links.sequence}?view=raw`,
      ready: text('MIME-Version'),
    },
    {
      state: 'effect of an edit',
      as: 'owner',
      address: () => links.launched,
      ready: field('Text of step 1'),
      afterwards: async (page) => {
        await page.getByLabel('Name of the sequence').fill('Renamed')
        await page.getByRole('button', { name: 'Save…' }).click()
        await page.getByText('No email that waits changes.').waitFor()
      },
    },
    {
      state: 'history',
      as: 'owner',
      address: () => links.sequence,
      ready: field('Text of step 1'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'History' }).click()
        await page.getByRole('button', { name: /^Look/ }).first().click()
        await page.getByRole('dialog').getByText('Step 2, after 3 days').waitFor()
      },
    },
    {
      state: 'a test',
      as: 'owner',
      address: () => links.sequence,
      ready: field('Text of step 1'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Send a test…' }).click()
        await page.getByRole('dialog').waitFor()
      },
    },
    {
      state: 'another version',
      as: 'owner',
      address: () => links.launched,
      ready: field('Text of step 1'),
      afterwards: async (page) => {
        await page.getByLabel('Name of the sequence').fill('Renamed by me')
        await guest('admin').ask('PATCH', `/api${links.launched}`, { name: `By Adam ${crypto.randomUUID()}` })
        await page.getByText('saved this sequence while you were writing').waitFor()
      },
    },
  ],
  '/campaigns': [
    { state: 'full', as: 'owner', ready: text('Spring trade fair') },
    { state: 'empty', as: 'loner', ready: text('No campaigns yet') },
    { state: 'a member', as: 'member', ready: text('Spring trade fair') },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/campaigns?status=STOPPED',
      ready: text('No campaign is like that'),
    },
    { state: 'lost', as: 'owner', broken: '/api/campaigns?*', ready: text('The server does not answer.') },
    {
      state: 'making one',
      as: 'owner',
      address: () => '/campaigns?new=yes',
      ready: (page) => page.getByRole('dialog', { name: 'New campaign' }),
    },
  ],
  '/campaigns/[id]': [
    { state: 'draft', as: 'owner', address: () => links.draft, ready: text('stops the launch') },
    {
      state: 'launching',
      as: 'owner',
      address: () => `${links.draft}?open=launch`,
      ready: (page) => page.getByRole('dialog', { name: /^Launch / }),
    },
    { state: 'running', as: 'owner', address: () => links.running, ready: text('How far it is') },
    { state: 'emails', as: 'member', address: () => `${links.running}?tab=emails`, ready: text('Scheduled') },
    { state: 'why', as: 'owner', address: () => `${links.running}?open=why`, ready: text('The next emails') },
    { state: 'full', as: 'owner', address: () => links.full, ready: text('How it goes') },
    { state: 'scheduled', as: 'owner', address: () => links.scheduled, ready: text('The plan, for its start') },
    { state: 'ended', as: 'owner', address: () => links.ended, ready: text('It is over') },
    { state: 'full, why', as: 'owner', address: () => `${links.full}?open=why`, ready: text('The next emails') },
    {
      state: 'what would help',
      as: 'owner',
      address: () => `${links.full}?open=why`,
      ready: text('The next emails'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'What would help, and by how much?' }).click()
        await page.getByRole('heading', { name: 'What would help' }).waitFor()
      },
    },
    {
      state: 'stopping',
      as: 'owner',
      address: () => links.full,
      ready: text('How it goes'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Stop…' }).click()
        await page.getByRole('dialog', { name: /^Stop / }).waitFor()
      },
    },
    { state: 'people', as: 'owner', address: () => `${links.full}?tab=people`, ready: text('Paused here') },
    { state: 'people, none', as: 'owner', address: () => `${links.full}?tab=people&q=zz`, ready: text('Nobody is') },
    {
      state: 'people, filling in',
      as: 'owner',
      address: () => `${links.full}?tab=people&state=BLOCKED`,
      ready: (page) => page.getByRole('button', { name: 'Fill it in' }).first(),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Fill it in' }).first().click()
        await page.getByRole('button', { name: /Company/ }).click()
        await page.getByRole('textbox', { name: 'Company' }).waitFor()
      },
    },
    {
      state: 'people, selected',
      as: 'owner',
      address: () => `${links.full}?tab=people`,
      ready: text('Paused here'),
      afterwards: async (page) => {
        for (const row of [0, 1, 2]) await page.getByRole('checkbox', { name: 'Select Fay' }).nth(row).check()
        await page.getByText('3 selected').waitFor()
      },
    },
    { state: 'plan', as: 'owner', address: () => `${links.full}?tab=plan`, ready: text('planned') },
    { state: 'plan, list', as: 'owner', address: () => `${links.full}?tab=plan&view=list`, ready: text('Why then') },
    { state: 'plan, draft', as: 'owner', address: () => `${links.scheduled}?tab=plan`, ready: text('Not earlier') },
    { state: 'emails, full', as: 'owner', address: () => `${links.full}?tab=emails`, ready: text('Failed for good') },
    {
      state: 'emails, none',
      as: 'owner',
      address: () => `${links.running}?tab=emails&status=CANCELLED`,
      ready: text('No email is like that'),
    },
    { state: 'activity', as: 'owner', address: () => `${links.full}?tab=activity`, ready: text('launched it') },
    { state: 'settings', as: 'owner', address: () => `${links.full}?tab=settings`, ready: text('From where') },
    {
      state: 'emails, lost',
      as: 'owner',
      address: () => `${links.full}?tab=emails`,
      broken: '/api/campaigns/**',
      ready: text('The server does not answer.'),
    },
    {
      state: 'not there',
      as: 'owner',
      address: () => '/campaigns/018f0000-0000-7000-8000-000000000000',
      ready: text('There is no such campaign here'),
    },
    {
      state: 'lost',
      as: 'owner',
      address: () => links.draft,
      broken: '/api/campaigns/*',
      ready: text('The server does not answer.'),
    },
  ],
  '/prospects': [
    { state: 'full', as: 'owner', ready: text('person12@example.com') },
    { state: 'empty', as: 'loner', ready: text('Nobody is here yet') },
    { state: 'a member', as: 'member', ready: text('person12@example.com') },
    {
      state: 'filtered',
      as: 'owner',
      address: () => '/prospects?state=paused&lacks=company&contacted=no',
      ready: text('this filter.'),
    },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/prospects?q=nothing-like-it',
      ready: text('Nobody fits this filter'),
    },
    {
      state: 'selected',
      as: 'owner',
      ready: text('person12@example.com'),
      afterwards: async (page) => {
        await page.getByLabel('Select all that are loaded').check()
        await page.getByRole('button', { name: 'Add to list' }).waitFor()
      },
    },
    {
      state: 'choosing a condition',
      as: 'owner',
      ready: text('person12@example.com'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Filter', exact: true }).click()
        await page.getByRole('menuitem', { name: 'A field is empty' }).press('ArrowRight')
        await page.getByRole('menuitem', { name: 'Company' }).waitFor()
      },
    },
    {
      state: 'adding',
      as: 'owner',
      ready: text('person12@example.com'),
      afterwards: async (page) => {
        const dialog = page.getByRole('dialog', { name: 'Add a person' })
        await pressPageKey(page, 'n')
        await dialog.getByRole('button', { name: 'Add' }).click()
        await page.getByText('There is no address.').waitFor()
      },
    },
    {
      state: 'lost',
      as: 'owner',
      broken: '/api/prospects?*',
      ready: text('The server does not answer.'),
    },
  ],
  '/prospects/[id]': [
    { state: 'full', as: 'owner', address: () => `/prospects/${people.ada}`, ready: heading('Timeline') },
    { state: 'a member', as: 'member', address: () => `/prospects/${people.ada}`, ready: heading('Timeline') },
    { state: 'erased', as: 'owner', address: () => `/prospects/${people.erased}`, ready: heading('An erased person') },
    { state: 'merged', as: 'owner', address: () => `/prospects/${people.merged}`, ready: text('Open that one') },
    { state: 'of nobody', as: 'loner', address: () => `/prospects/${people.ada}`, ready: heading('Nobody is here') },
    {
      state: 'editing',
      as: 'owner',
      address: () => `/prospects/${people.ada}`,
      ready: heading('Timeline'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: /^Time zone:/ }).click()
        await page.getByRole('textbox', { name: 'Time zone' }).fill('Mars/Olympus')
        await page.keyboard.press('Enter')
        await page.getByRole('alert').getByText('time zone').waitFor()
      },
    },
    {
      state: 'erasing',
      as: 'owner',
      address: () => `/prospects/${people.ada}`,
      ready: heading('Timeline'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'More for Ada Lovelace' }).click()
        await page.getByRole('menuitem', { name: 'Erase' }).click()
        await page.getByRole('dialog', { name: 'Erase Ada Lovelace?' }).waitFor()
      },
    },
    {
      state: 'merging',
      as: 'owner',
      address: () => `/prospects/${people.ada}`,
      ready: heading('Timeline'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'More for Ada Lovelace' }).click()
        await page.getByRole('menuitem', { name: 'Merge with another' }).click()
        await page.getByLabel('Address, name or company').fill('person1')
        await page.getByRole('radio').first().waitFor()
      },
    },
  ],
  '/prospects/import': [
    { state: 'fresh', as: 'loner', ready: heading('Or paste') },
    { state: 'with imports', as: 'owner', ready: text('Imports before this one') },
    {
      state: 'columns',
      as: 'owner',
      ready: (page) => page.locator('[data-step]:not([aria-busy])'),
      afterwards: async (page) => {
        // From the second look on, the browser has kept what was pasted at the first.
        if (await page.getByRole('heading', { name: 'Or paste' }).isVisible()) {
          await page.getByLabel('Rows or addresses').fill(PASTED)
          await page.getByRole('button', { name: 'Look at these rows' }).click()
        }
        await page.getByRole('heading', { name: 'What the columns are' }).waitFor()
      },
    },
    {
      state: 'no address',
      as: 'owner',
      ready: heading('What the columns are'),
      afterwards: async (page) => {
        await page.getByLabel('Where E-Mail goes').click()
        await page.getByRole('option', { name: 'Leave out' }).click()
        await page.getByText('Say which column is the address.').waitFor()
      },
    },
    {
      state: 'report',
      as: 'owner',
      address: () => `/prospects/import?job=${people.importId}`,
      ready: text('What became of people.csv'),
    },
    {
      state: 'running',
      as: 'owner',
      address: () => `/prospects/import?job=${people.unfinishedId}`,
      ready: text('is being imported'),
    },
    {
      state: 'broken',
      as: 'owner',
      address: () => `/prospects/import?job=${people.importId}`,
      broken: '/api/prospects/import/*',
      ready: text('The import could not be loaded.'),
    },
  ],
  '/lists': [
    { state: 'full', as: 'owner', ready: text('Trade fair') },
    { state: 'empty', as: 'loner', ready: text('There is no list yet') },
    { state: 'archive', as: 'loner', address: () => '/lists?show=archived', ready: text('Nothing is archived') },
    {
      state: 'refused',
      as: 'owner',
      ready: text('Trade fair'),
      afterwards: async (page) => {
        await pressPageKey(page, 'n')
        const dialog = page.getByRole('dialog', { name: 'Make a list' })
        await dialog.getByLabel('Name').fill('trade fair')
        await dialog.getByRole('button', { name: 'Make the list' }).click()
        await dialog.getByText('There is a list of this name already').waitFor()
      },
    },
    {
      state: 'lost',
      as: 'owner',
      broken: '/api/lists?*',
      ready: text('The server does not answer.'),
    },
  ],
  '/suppressions': [
    { state: 'full', as: 'owner', ready: text('asked by phone') },
    { state: 'empty', as: 'loner', ready: text('Nobody is suppressed') },
    { state: 'a member', as: 'member', ready: text('asked by phone') },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/suppressions?q=nothing-like-it&kind=DOMAIN',
      ready: text('Nothing here goes by that name'),
    },
    {
      state: 'lost',
      as: 'owner',
      ready: text('asked by phone'),
      afterwards: async (page) => {
        await page.route('**/api/suppressions?*', (route) => route.abort())
        await page.getByText('The server does not answer.').waitFor()
      },
    },
    {
      state: 'adding',
      as: 'owner',
      ready: text('asked by phone'),
      afterwards: async (page) => {
        await pressPageKey(page, 'n')
        await page.getByRole('button', { name: 'Suppress', exact: true }).click()
        await page.getByText('An address or a domain is needed.').waitFor()
      },
    },
    {
      state: 'asking',
      as: 'owner',
      ready: text('asked by phone'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Actions for bounced@example.com' }).click()
        await page.getByRole('menuitem', { name: 'Take off the list' }).click()
        await page.getByRole('dialog').waitFor()
      },
    },
  ],
  '/mailboxes': [
    { state: 'full', as: 'owner', ready: text('535 5.7.8 Authentication failed') },
    { state: 'empty', as: 'loner', ready: heading('There is no mailbox yet') },
    { state: 'a member', as: 'member', ready: text('535 5.7.8 Authentication failed') },
    { state: 'lost', as: 'owner', broken: '/api/mailboxes', ready: text('The server does not answer.') },
    {
      state: 'a step failed',
      as: 'owner',
      address: () => '/mailboxes?do=add',
      ready: (page) => page.getByLabel('Address', { exact: true }),
      afterwards: async (page) => {
        await page.getByText('Another server').click()
        await page.getByLabel('Address', { exact: true }).fill('down@acme.test')
        await page.getByLabel('Server', { exact: true }).fill('127.0.0.1')
        await page.getByLabel('Port', { exact: true }).fill('9')
        await page.getByLabel('Password', { exact: true }).fill('x')
        await page.getByRole('button', { name: 'Test and add' }).click()
        await page.getByText('refuses connections on port 9').waitFor()
      },
    },
    {
      state: 'editing',
      as: 'owner',
      ready: text('535 5.7.8 Authentication failed'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: `Actions for ${LONG_EMAIL}` }).click()
        await page.getByRole('menuitem', { name: 'Edit' }).click()
        await page.getByRole('dialog').waitFor()
      },
    },
    {
      state: 'removing',
      as: 'owner',
      ready: text('535 5.7.8 Authentication failed'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: `Actions for ${LONG_EMAIL}` }).click()
        await page.getByRole('menuitem', { name: 'Remove' }).click()
        await page.getByText('Nothing waits for it.').waitFor()
      },
    },
  ],
  '/settings/domains': [
    { state: 'full', as: 'owner', ready: text('It does not name include:_spf.google.com') },
    { state: 'empty', as: 'loner', ready: heading('No domain signs yet') },
    { state: 'a member', as: 'member', ready: text('You can see the domains.') },
    { state: 'lost', as: 'owner', broken: '/api/domains', ready: text('The server does not answer.') },
    {
      state: 'adding',
      as: 'owner',
      address: () => '/settings/domains?do=add',
      ready: (page) => page.getByLabel('Domain', { exact: true }),
      afterwards: async (page) => {
        await page.getByLabel('Domain', { exact: true }).fill('not a domain')
        await page.getByRole('button', { name: 'Add', exact: true }).click()
        await page.getByRole('dialog').getByRole('alert').locator('p, div').first().waitFor()
      },
    },
  ],
  '/settings/api-keys': [
    { state: 'full', as: 'owner', ready: text('Has left. They may still know the key.') },
    { state: 'empty', as: 'loner', ready: heading('No program has a key yet') },
    { state: 'a member', as: 'member', ready: heading('API keys are for admins and owners') },
    { state: 'lost', as: 'owner', broken: '/api/api-keys', ready: text('The server does not answer.') },
    {
      state: 'making',
      as: 'owner',
      address: () => '/settings/api-keys?do=make',
      ready: (page) => page.getByLabel('Name', { exact: true }),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Make the key' }).click()
        await page.getByText('A key needs a name').waitFor()
      },
    },
    {
      state: 'made',
      as: 'owner',
      address: () => '/settings/api-keys?do=make',
      ready: (page) => page.getByLabel('Name', { exact: true }),
      afterwards: async (page) => {
        await page.getByLabel('Name', { exact: true }).fill('Booking site')
        await page.getByRole('button', { name: 'Make the key' }).click()
        await page.getByText('It is shown this once.').waitFor()
      },
    },
  ],
  '/settings/webhooks': [
    { state: 'full', as: 'owner', ready: text('Every attempt to deliver an event failed') },
    { state: 'empty', as: 'loner', ready: heading('Nobody is told yet') },
    { state: 'a member', as: 'member', ready: text('Admins and owners change them.') },
    { state: 'lost', as: 'owner', broken: '/api/webhooks', ready: text('The server does not answer.') },
    {
      state: 'what failed',
      as: 'owner',
      address: () => `/settings/webhooks?webhook=${links.webhook}&show=failed`,
      ready: (page) => page.getByRole('button', { name: 'Send all that failed again' }),
    },
    {
      state: 'what waits',
      as: 'owner',
      address: () => `/settings/webhooks?webhook=${links.webhook}&show=waiting`,
      ready: text('It is tried again.'),
    },
    {
      state: 'a delivery',
      as: 'owner',
      address: () => `/settings/webhooks?webhook=${links.webhook}&delivery=${links.delivery}`,
      ready: text('the booking database is away'),
    },
    {
      state: 'adding',
      as: 'owner',
      address: () => '/settings/webhooks?do=add',
      ready: field('Address'),
      afterwards: async (page) => {
        await field('Address')(page).fill('https://10.0.0.1/hook')
        await page.getByRole('button', { name: 'Add the webhook' }).click()
        await page.getByText('inside a private network').waitFor()
      },
    },
    {
      state: 'a new secret',
      as: 'owner',
      address: () => `/settings/webhooks?do=secret&webhook=${links.webhook}`,
      ready: (page) => page.getByRole('button', { name: 'Make a new secret' }),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Make a new secret' }).click()
        await page.getByText('It is shown this once.').waitFor()
      },
    },
    {
      state: 'editing',
      as: 'owner',
      address: () => `/settings/webhooks?do=edit&webhook=${links.webhook}`,
      ready: field('Address'),
    },
  ],
  '/settings/sending': [
    { state: 'full', as: 'owner', ready: text('wins') },
    { state: 'empty', as: 'loner', ready: text('No mailbox is connected.') },
    { state: 'a member', as: 'member', ready: text('wins') },
    {
      state: 'lost',
      as: 'owner',
      broken: '/api/settings/sending',
      ready: text('The server does not answer.'),
    },
    {
      state: 'changing',
      as: 'owner',
      ready: text('wins'),
      afterwards: async (page) => {
        await page.getByLabel('Emails a day').fill('20')
        await page.getByRole('checkbox', { name: 'Ramp up new mailboxes' }).check()
        await page
          .getByRole('status')
          .filter({ hasText: /moves?\b/ })
          .waitFor()
        await page.getByRole('img', { name: /^Ramp-up/ }).scrollIntoViewIfNeeded()
      },
    },
    {
      state: 'refused',
      as: 'owner',
      ready: text('wins'),
      afterwards: async (page) => {
        await page.getByLabel('Shortest pause').fill('30')
        await page.getByLabel('Longest pause').fill('1')
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByText('must not be shorter than the shortest').first().waitFor()
      },
    },
  ],
  '/team': [
    { state: 'full', as: 'owner', ready: text('late@example.com') },
    { state: 'empty', as: 'loner', ready: text('Nobody is waiting') },
    { state: 'an admin', as: 'admin', ready: text('late@example.com') },
    { state: 'a member', as: 'member', ready: text(LONG_EMAIL) },
    { state: 'lost', as: 'owner', broken: '/api/members', ready: text('The server does not answer.') },
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
  '/admin/email-queue': [
    { state: 'full', as: 'owner', ready: text('Failed for good') },
    { state: 'empty', as: 'loner', ready: text('Nothing needs a decision') },
    {
      state: 'waiting',
      as: 'owner',
      address: () => '/admin/email-queue?tab=waiting',
      ready: text('Scheduled'),
    },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/admin/email-queue?tab=sent&error=GREYLISTED&kind=TRANSACTIONAL&from=2026-01-01',
      ready: text('No email here fits this filter'),
    },
    {
      state: 'an email',
      as: 'owner',
      address: () => `/admin/email-queue?email=${links.failed}`,
      ready: text('The campaign was running'),
      afterwards: async (page) => {
        await page.getByText('Technical details').first().click()
        await page.getByText('554 5.6.0').waitFor()
      },
    },
    {
      state: 'an unknown outcome',
      as: 'owner',
      address: () => `/admin/email-queue?email=${links.unknown}`,
      ready: (page) => page.getByRole('button', { name: 'Look for evidence' }),
    },
    {
      state: 'send again',
      as: 'owner',
      address: () => `/admin/email-queue?email=${links.unknown}`,
      ready: (page) => page.getByRole('button', { name: 'Look for evidence' }),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Send again…' }).click()
        await page.getByRole('dialog').waitFor()
      },
    },
    {
      state: 'one that waits',
      as: 'member',
      address: () => `/admin/email-queue?tab=waiting&email=${links.waiting}`,
      ready: text('Only admins and owners decide about emails'),
    },
    {
      state: 'many',
      as: 'owner',
      ready: text('Failed for good'),
      afterwards: async (page) => {
        await page.getByRole('checkbox', { name: 'Select all that are loaded' }).click()
        await page.getByRole('button', { name: 'Dismiss…' }).click()
        await page.getByText('It can be done for').waitFor()
      },
    },
    { state: 'a member', as: 'member', ready: text('Failed for good') },
    {
      state: 'not there',
      as: 'owner',
      address: () => `/admin/email-queue?email=${crypto.randomUUID()}`,
      ready: text('This email could not be loaded.'),
    },
    { state: 'lost', as: 'owner', broken: '/api/admin/outbox?*', ready: text('The server does not answer.') },
  ],
  '/admin/held': [
    { state: 'not held', as: 'owner', ready: text('Nothing is held') },
    { state: 'held', as: 'owner', ...HELD, ready: (page) => page.getByRole('button', { name: 'Let sending go on…' }) },
    {
      state: 'letting it go on',
      as: 'owner',
      ...HELD,
      ready: (page) => page.getByRole('button', { name: 'Let sending go on…' }),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Let sending go on…' }).click()
        await page.getByRole('dialog', { name: 'Let sending go on?' }).waitFor()
      },
    },
    { state: 'a member', as: 'member', ...HELD, ready: text('Only an owner can let sending go on') },
    { state: 'lost', as: 'owner', broken: '/api/admin/held', ready: text('The server does not answer.') },
  ],
  '/admin/promise': [
    { state: 'it holds', as: 'owner', ready: text('The promise holds') },
    { state: 'findings', as: 'owner', ...BROKEN, ready: text('emails may be claimed, although') },
    { state: 'a member', as: 'member', ...BROKEN, ready: text('emails may be claimed, although') },
    { state: 'of others', as: 'loner', ...BROKEN, ready: text('The promise holds') },
    { state: 'held', as: 'member', ...HELD, ready: text('See why') },
    { state: 'lost', as: 'owner', broken: '/api/admin/promise', ready: text('The server does not answer.') },
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
    { state: 'lost', as: 'owner', broken: '/api/audit?*', ready: text('The server does not answer.') },
  ],
  '/settings': [
    { state: 'full', as: 'owner', ready: (page) => page.getByLabel('Workspace name') },
    { state: 'changing', as: 'loner', ready: text('Changes to Asia/Tokyo') },
    { state: 'a member', as: 'member', ready: text('You can see these settings.') },
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
    beforeAll(async () => void (await scene.given?.()))
    afterAll(async () => void (await scene.undone?.()))
    describe.each(SCREENS)('$name', (screen) => {
      let page: Page | undefined
      afterAll(() => page?.close())

      test('light', async () => {
        page = await open(scene, screen)
        await keepPicture(page, scene, `${screen.name}, light`)
        // A dialog hides what is behind it from everybody, headings too.
        const hasDialog = (await page.getByRole('dialog').count()) > 0
        await expect.poll(() => page?.getByRole('heading', { level: 1 }).count(), PATIENTLY).toBe(hasDialog ? 0 : 1)
        expect(await page.title()).toMatch(scene.path === '/' ? /^Sendonce$/ : /^.+ · Sendonce$/)
        expect(await findingsOn(page)).toEqual([])
        expectNoComplaints(scene)
      })

      // The same page: by night nothing is different but its colours.
      test('dark', async () => {
        page ??= await open(scene, screen)
        await turn(page, 'dark')
        await keepPicture(page, scene, `${screen.name}, dark`)
        expect(await findingsOfColours(page)).toEqual([])
        expectNoComplaints(scene)
      })
    })
  })
}

type Played = Scene & { path: string }

async function open({ path, ...scene }: Played, { width, height }: (typeof SCREENS)[number]): Promise<Page> {
  const page = await guest(scene.as).context.newPage()
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (scene.broken) {
    await page.route(`**${scene.broken}`, (route) => route.fulfill({ status: 503, body: 'restarting' }))
  }
  await page.goto(scene.address?.() ?? path)
  await scene
    .ready(page)
    .waitFor()
    .catch(async (error: Error) => {
      throw new Error(`${error.message}\nThe page says: ${await page.locator('body').ariaSnapshot()}`)
    })
  await untilListening(page)
  await scene.afterwards?.(page)
  return page
}

async function keepPicture(page: Page, { path, state }: Played, look: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  const picture = `${path.slice(1) || 'front'}, ${state}, ${look}.png`.replaceAll(/[, ]+/g, '-')
  if (folder) await page.screenshot({ path: join(folder, picture) })
}

/** The browser itself reports each answer that is a refusal; those are the scene. */
function expectNoComplaints({ as }: Played): void {
  expect(guest(as).complaints.filter((line) => !/Failed to load resource/.test(line))).toEqual([])
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

  // A workspace of one, with its zone about to change; and a person who is in no workspace any more.
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

  const suppress = (value: string, reason: string | null) => owner.ask('POST', '/api/suppressions', { value, reason })
  await suppress('competitor.example', null)
  await suppress('caller@example.com', 'asked by phone, and again in a letter of three pages')
  for (const value of [LONG_EMAIL, 'bounced@example.com']) await suppress(value, null)
  await app.sql(
    `UPDATE suppressions SET source = 'BOUNCE', created_by_email = NULL WHERE value = 'bounced@example.com'`,
  )
  await app.sql(`UPDATE suppressions SET source = 'UNSUBSCRIBE', created_by_email = NULL WHERE value = $1`, [
    LONG_EMAIL,
  ])

  const write = async (as: Guest, name: string, steps: object[]) =>
    (await as.ask<{ id: string }>('POST', '/api/sequences', { name, steps })).id
  const steps = [
    { subject: 'Your stand, {{firstName | "hello"}}', bodyHtml: '<p>Hi {{firstName}}, <strong>see you</strong></p>' },
    { delayDays: 3, bodyText: `{{nick}} ${LONG_EMAIL}` },
    {
      delayDays: 4,
      subject: 'LAST CHANCE',
      bodyHtml: '<table><tr><td><a href="https://example.com">click here</a></td></tr></table>',
    },
  ]
  const longName = 'A sequence whose name is as long as a name may be, which is a hundred characters and not one more.'
  links.sequence = `/sequences/${await write(owner, longName, steps)}`
  const launched = await write(owner, 'Launched', steps.slice(0, 1))
  links.launched = `/sequences/${launched}`
  await app.sql('UPDATE sequences SET launched_at = app_now() WHERE id = $1', [launched])
  links.archived = `/sequences/${await write(owner, 'Put away', [])}`
  await owner.ask('DELETE', `/api${links.archived}`)
  links.elsewhere = `/sequences/${await write(guest('loner'), 'New sequence', [{}])}`

  const mailbox = (address: string, port: number, more: object = {}) =>
    owner.ask('POST', '/api/mailboxes', {
      ...{ address, test: false, displayName: LONG_NAME, ...more },
      smtp: { host: '127.0.0.1', port, security: 'NONE', username: address, password: 'x' },
    })
  for (const address of ['sales@acme.test', 'warming@acme.test', 'limited@acme.test', LONG_EMAIL])
    await mailbox(address, 9)
  await app.sql(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE address <> $1`, [LONG_EMAIL])
  await app.sql(
    `UPDATE mailboxes SET stopped_reason = 'The mail server refused the user name or password. Enter them again; providers with two-step sign-in want an app password. It said: “535 5.7.8 Authentication failed”' WHERE address = $1`,
    [LONG_EMAIL],
  )
  await app.sql(
    `UPDATE mailboxes SET deferred_until = now() + interval '3 hours', pause_reason = 'Its daily limit at the provider is reached.' WHERE address = 'limited@acme.test'`,
  )
  const { id: domainId } = await owner.ask<{ id: string }>('POST', '/api/domains', { domain: 'acme.test' })
  await owner.ask('POST', '/api/domains', { domain: LONG_EMAIL.slice(LONG_EMAIL.indexOf('@') + 1) })
  const found = {
    dkim: { state: 'right', sentence: 'Receivers can check our signature.', found: 'v=DKIM1; k=rsa; p=x' },
    spf: { state: 'wrong', sentence: 'It does not name include:_spf.google.com.', found: 'v=spf1 -all' },
    dmarc: { state: 'missing', sentence: 'acme.test has no DMARC record.', found: null },
  }
  await app.sql('UPDATE sending_domains SET looked_at = now(), verified_at = now(), findings = $2 WHERE id = $1', [
    domainId,
    JSON.stringify(found),
  ])
  await app.sql(
    `INSERT INTO mailbox_days (mailbox_id, local_date, reserved)
     SELECT id, current_date - day, 12 FROM mailboxes CROSS JOIN generate_series(0, 8) AS day WHERE address = 'warming@acme.test'`,
  )

  const key = (name: string, scopes: string[], validDays: number | null) =>
    owner.ask<{ apiKey: { id: string } }>('POST', '/api/api-keys', { name, scopes, validDays })
  await key(LONG_NAME, ['read', 'send', 'admin'], 365)
  const { apiKey: expired } = await key('Old shop', ['send'], 30)
  const { apiKey: revoked } = await key('Leaked', ['send'], null)
  const { apiKey: orphaned } = await key('Booking site', ['send'], null)
  await owner.ask('DELETE', `/api/api-keys/${revoked.id}`)
  await app.sql(`UPDATE api_keys SET expires_at = now(), last_used_at = now() - interval '3 days' WHERE id = $1`, [
    expired.id,
  ])
  await app.sql(
    `UPDATE api_keys SET made_by_id = (SELECT id FROM users u WHERE NOT EXISTS (
       SELECT FROM members m WHERE m.user_id = u.id AND m.workspace_id = api_keys.workspace_id) LIMIT 1) WHERE id = $1`,
    [orphaned.id],
  )

  await hookedBy(owner)

  await owner.ask('POST', '/api/campaigns', { name: `A draft of ${LONG_NAME}`, sequenceId: await writeSequence(owner) })
  const { campaigns } = await owner.ask<{ campaigns: { id: string }[] }>('GET', '/api/campaigns')
  links.draft = `/campaigns/${campaigns[0]?.id}`
  await setUpSending(app, owner)
  await owner.ask('POST', '/api/prospects', { email: LONG_EMAIL.replace('@', '+2@') })
  for (const name of ['bo', 'cy']) await owner.ask('POST', '/api/prospects', { email: `${name}@example.com` })
  const running = await launchToAll(owner, [{ subject: 'Your stand', bodyText: 'A word.' }])
  await owner.ask('PATCH', `/api/campaigns/${running}`, { name: 'Spring trade fair' })
  links.running = `/campaigns/${running}`
  await spoilSome(owner)

  await populatePeople(owner)
  await populateCampaigns(owner)

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

/** As servers leave them: one refused for good, one without an answer, the others waiting. */
async function spoilSome(owner: Guest): Promise<void> {
  const { emails } = await owner.ask<{ emails: { id: string }[] }>('GET', '/api/admin/outbox?part=waiting')
  ;[links.failed, links.unknown, links.waiting] = ['', '', ''].map((_, index) => emails[index]?.id ?? '') as [
    string,
    string,
    string,
  ]
  const receipt = `jsonb_build_object('campaign-running', 'ok', 'sending-window', 'ok', 'workspace-quota', 'ok')`
  await app.sql(`BEGIN;
    SET LOCAL session_replication_role = replica;
    UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED', ready_at = NULL, attempts = 1, lease_token = 1, marked_token = 1,
      submit_started_at = app_now() - interval '1 hour', content_token = 1, last_error_code = 'MESSAGE_REFUSED',
      last_error = 'The mail server refused the message. Look at its answer below.' WHERE id = '${links.failed}';
    UPDATE scheduled_emails SET status = 'OUTCOME_UNKNOWN', ready_at = NULL, attempts = 1, lease_token = 1, marked_token = 1,
      submit_started_at = app_now() - interval '1 hour', content_token = 1, last_error_code = 'TIMEOUT_AFTER_DATA',
      last_error = 'The mail server did not answer in time after the message was handed over.' WHERE id = '${links.unknown}';
    INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome,
      error_code, provider_text, receipt)
    SELECT id, 1, workspace_id, 1, 'worker-1', submit_started_at, submit_started_at, submit_started_at,
      CASE WHEN status = 'OUTCOME_UNKNOWN' THEN 'UNKNOWN' ELSE 'REJECTED' END::attempt_outcome, last_error_code,
      CASE WHEN status = 'OUTCOME_UNKNOWN' THEN NULL ELSE '554 5.6.0 This message is not wanted here' END, ${receipt}
    FROM scheduled_emails WHERE id IN ('${links.failed}', '${links.unknown}');
    INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject,
      body_text, body_html, message_id, date, headers)
    SELECT id, 1, workspace_id, 'Ann Acme', 'ann@acme.example', '', 'person@example.com', 'Your stand at ${LONG_NAME}', 'A word.',
      '<p>A <b>word</b> at <a href="https://acme.example/${'a-long-path/'.repeat(12)}">this address</a>.</p>',
      '<one@acme.example>', app_now(), '{"List-Unsubscribe": "<https://acme.example/u/…>"}'
    FROM scheduled_emails WHERE id IN ('${links.failed}', '${links.unknown}');
    COMMIT`)
}

async function writeSequence(owner: Guest): Promise<string> {
  const steps = [{ subject: 'Hello', bodyText: 'A word.' }]
  return (await owner.ask<{ id: string }>('POST', '/api/sequences', { name: 'Intro', steps })).id
}

/** A list, a segment, an import with every kind of line, and a person with a history. */
async function populatePeople(owner: Guest): Promise<void> {
  const add = async (body: object) => {
    const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', body)
    return prospect.id
  }
  const list = await owner.ask<{ id: string }>('POST', '/api/lists', { name: 'Trade fair' })
  await owner.ask('POST', '/api/lists', { name: `${LONG_NAME}, and everybody whom she knows` })
  await owner.ask('POST', '/api/segments', { name: 'Without a company', filter: { lacks: 'company' } })
  people.erased = await add({ email: 'erased@example.com' })
  await owner.ask('POST', `/api/prospects/${people.erased}/erase`)
  people.merged = await add({ email: 'ada@old.example.com' })
  people.ada = await add({
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    company: 'The Analytical Engine Company of London, formerly of Turin',
    customFields: { city: 'London', note: 'She asked for an offer in writing, twice, and for a visit in spring' },
  })
  await owner.ask('POST', `/api/prospects/${people.ada}/merge`, { loserId: people.merged })
  await owner.ask('PATCH', `/api/prospects/${people.ada}`, { email: 'ada@lovelace.example.com' })
  await owner.ask('PATCH', `/api/prospects/${people.ada}`, { paused: true })
  await add({ email: `new-${LONG_EMAIL}`, firstName: LONG_NAME, company: LONG_NAME })
  for (let n = 1; n <= 12; n += 1) await add({ email: `person${n}@example.com`, firstName: `Person ${n}` })
  const { prospects } = await owner.ask<{ prospects: { id: string }[] }>('GET', '/api/prospects?limit=5')
  await owner.ask('POST', `/api/lists/${list.id}/members`, { prospectIds: prospects.map(({ id }) => id) })
  await owner.ask('PATCH', `/api/prospects/${prospects[0]?.id}`, { paused: true })
  people.importId = await importedBy(owner)
  people.unfinishedId = crypto.randomUUID()
  await app.sql(
    `INSERT INTO import_jobs (id, workspace_id, fingerprint, options, encoding, delimiter, created_by_id, file_name,
       committed_records, total_records)
     SELECT $1::uuid, workspace_id, 'unfinished', options, encoding, delimiter, created_by_id, 'a large file.csv', 41000, 100000
     FROM import_jobs WHERE id = $2`,
    [people.unfinishedId, people.importId],
  )
}

/** One with everything in it after a week of sending, one that starts tomorrow, and one that is over with failures. */
async function populateCampaigns(owner: Guest): Promise<void> {
  const { mailboxes } = await owner.ask<{ mailboxes: { id: string; address: string }[] }>('GET', '/api/mailboxes')
  const ann = mailboxes.find(({ address }) => address === 'ann@acme.example')?.id
  await owner.ask('PATCH', `/api/mailboxes/${ann}`, { dailyLimit: 6 })
  const prospectIds: string[] = []
  for (let n = 1; n <= 30; n += 1) {
    const company = n > 4 ? { company: n === 5 ? LONG_NAME : `Company ${n}` } : {}
    const body = { email: `fair${n}@example.com`, firstName: n === 6 ? LONG_NAME : `Fay ${n}`, ...company }
    const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', body)
    prospectIds.push(prospect.id)
  }
  const make = async (name: string, step: object, whom: string[], launch: object) => {
    const steps = [step, { delayDays: 3, bodyText: 'Again.' }]
    const sequence = await owner.ask<{ id: string }>('POST', '/api/sequences', { name: `For ${name}`, steps })
    const body = { name, sequenceId: sequence.id }
    const { id } = await owner.ask<{ id: string }>('POST', '/api/campaigns', body)
    await owner.ask('PATCH', `/api/campaigns/${id}`, { mailboxIds: [ann] })
    await owner.ask('POST', `/api/campaigns/${id}/prospects`, { prospectIds: whom })
    await owner.ask('POST', `/api/campaigns/${id}/launch`, launch)
    return id
  }
  const full = await make('Autumn trade fair', { subject: 'To {{company}}', bodyText: 'A word.' }, prospectIds, {})
  links.full = `/campaigns/${full}`
  const { enrolments } = await owner.ask<{ enrolments: { id: string }[] }>(
    'GET',
    `/api/campaigns/${full}/prospects?state=ACTIVE`,
  )
  const ids = enrolments.map(({ id }) => id)
  const change = (action: string, enrolmentIds: string[]) =>
    owner.ask('POST', `/api/campaigns/${full}/prospects/bulk`, { action, enrolmentIds })
  await change('pause', ids.slice(0, 3))
  await change('remove', ids.slice(3, 5))
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
  const plain = { subject: 'Hello', bodyText: 'A word.' }
  links.scheduled = `/campaigns/${await make('Winter greetings', plain, prospectIds.slice(0, 9), { scheduledAt })}`
  const ended = await make('Last summer', plain, prospectIds.slice(10, 20), {})
  links.ended = `/campaigns/${ended}`
  await app.sql(`SET session_replication_role = replica;
    ${asAfterAWeek(full, [9, 2, 1, 2])}
    ${asAfterAWeek(ended, [16, 3, 0, 0])}
    UPDATE scheduled_emails SET status = 'CANCELLED', ready_at = NULL, cancelled_at = app_now(), cancel_reason = 'BY_PERSON'
      WHERE campaign_id = '${ended}' AND status = 'SCHEDULED';
    UPDATE campaign_prospects SET state = 'FINISHED' WHERE campaign_id = '${ended}';
    UPDATE campaigns SET status = 'SENT' WHERE id = '${ended}'`)
}

/** So many of a campaign's emails sent, failed for good, unknown and waiting to retry. */
function asAfterAWeek(campaignId: string, counts: readonly [number, number, number, number]): string {
  const failed = `last_error_code = 'MESSAGE_REFUSED', last_error = 'The mail server refused the message for good. It said: 550 5.7.1'`
  const assignments = [
    `status = 'SENT', sent_at = app_now() - interval '2 hours'`,
    `status = 'PERMANENTLY_FAILED', ${failed}`,
    `status = 'OUTCOME_UNKNOWN', lease_token = 1, marked_token = 1, submit_started_at = app_now()`,
    `status = 'RETRY_SCHEDULED', attempts = 1, next_retry_at = app_now() + interval '15 minutes'`,
  ]
  return assignments
    .map(
      (assignment, index) =>
        `UPDATE scheduled_emails SET ready_at = NULL, ${assignment} WHERE id IN (SELECT id FROM scheduled_emails
           WHERE campaign_id = '${campaignId}' AND status = 'SCHEDULED' AND blocker IS NULL
           ORDER BY step_number, id LIMIT ${counts[index]});`,
    )
    .join('\n')
}

/** Three webhooks, with deliveries in every state. */
async function hookedBy(owner: Guest): Promise<void> {
  const hook = async (description: string, path: string, events = ['email.sent', 'campaign.finished']) => {
    const body = { url: `http://127.0.0.1:9/${path}`, description, events }
    return (await owner.ask<{ webhook: { id: string } }>('POST', '/api/webhooks', body)).webhook.id
  }
  links.webhook = await hook('Booking site', 'hooks/sendonce')
  const disabled = await hook(LONG_NAME, `${'a-very-long-part-of-a-path/'.repeat(6)}`)
  const paused = await hook('', 'no-name', ['prospect.unsubscribed'])
  await app.sql(`UPDATE webhook_endpoints SET status = 'PAUSED' WHERE id = $1`, [paused])
  await app.sql(
    `UPDATE webhook_endpoints SET status = 'DISABLED', disabled_reason = 'Every attempt to deliver an event failed, over more than a day, and in that time no other was taken either. The last one: The receiver answered 500; only answers from 200 to 299 count as delivered.' WHERE id = $1`,
    [disabled],
  )
  await app.sql(
    `INSERT INTO webhook_deliveries (endpoint_id, workspace_id, message_id, type, subject_id, data, happened_at, state, attempts, due_at, ended_at, last_attempt_at, answer_status, answer_body, problem, duration_ms)
     SELECT e.id, e.workspace_id, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'email.sent' ELSE 'campaign.finished' END, gen_random_uuid(),
       jsonb_build_object('emailId', gen_random_uuid(), 'status', 'SENT', 'kind', 'CAMPAIGN'), now() - n * interval '7 minutes', s.state::webhook_delivery_state, s.attempts,
       CASE WHEN s.state = 'WAITING' THEN now() + interval '2 hours' END, CASE WHEN s.state <> 'WAITING' THEN now() END, now(), s.status, s.body, s.problem, 412
     FROM webhook_endpoints e CROSS JOIN generate_series(1, 60) AS n JOIN (VALUES
       (0, 'DELIVERED', 1, 200, 'ok', NULL), (1, 'FAILED', 8, 500, '{"error": "the booking database is away"}', 'The receiver answered 500; only answers from 200 to 299 count as delivered.'),
       (2, 'WAITING', 3, NULL, NULL, 'No answer came within 15 seconds.'), (3, 'DELIVERED', 2, 204, '', NULL)) AS s(of, state, attempts, status, body, problem) ON n % 4 = s.of
     WHERE e.id = $1`,
    [links.webhook],
  )
  const show = `/api/webhooks/${links.webhook}/deliveries?show=failed`
  links.delivery = (await owner.ask<{ deliveries: { id: string }[] }>('GET', show)).deliveries[0]?.id ?? ''
}

async function importedBy(owner: Guest): Promise<string> {
  const lines = ['email,city', 'new@example.com,Bonn', 'person1@example.com,Ulm', 'nobody', 'new@example.com,Bonn']
  const file = Buffer.from([...lines, 'caller@example.com,Rome', ''].join('\n'))
  const options = { columns: [{ to: 'email' }, { to: 'custom', name: 'city' }], onKnown: 'update' }
  const response = await owner.context.request.post('/api/prospects/import', {
    headers: { origin: app.url },
    multipart: { options: JSON.stringify(options), file: { name: 'people.csv', mimeType: 'text/csv', buffer: file } },
  })
  const answer: { data: { report: { id: string } } } = await response.json()
  return answer.data.report.id
}
