import type { Page } from 'playwright-core'
import { links } from './places.ts'
import { heading, type Scene, type Scenes, text } from './scene.ts'

/** Who a person is can be told, and not what they belong to. */
const NO_MEMBERS: Pick<Scene, 'given' | 'undone'> = {
  given: (app) => app.sql('ALTER TABLE members RENAME TO members_elsewhere'),
  undone: (app) => app.sql('ALTER TABLE members_elsewhere RENAME TO members'),
}

/** A browser without what the outermost part of every page asks for as it begins. */
const breakProviders = (page: Page) =>
  page.addInitScript(() => {
    const listen = window.addEventListener.bind(window)
    window.addEventListener = (type: string, ...more: unknown[]) => {
      if (type === 'visibilitychange') throw new Error('this browser hears nothing')
      return (listen as (...all: unknown[]) => void)(type, ...more)
    }
  })

/** One that has ended, put away. */
const PUT_AWAY: Pick<Scene, 'given' | 'undone'> = {
  given: (app) => app.sql(`UPDATE campaigns SET archived_at = now() WHERE name = 'Last summer'`),
  undone: (app) => app.sql(`UPDATE campaigns SET archived_at = NULL WHERE name = 'Last summer'`),
}

export const CAMPAIGNS: Scenes = {
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
      state: 'nowhere',
      as: 'owner',
      address: () => '/no/such/page',
      ready: heading('There is nothing at this address'),
    },
    {
      state: 'broken',
      as: 'owner',
      breaks: (page) => page.route('**/api/overview', (route) => route.fulfill({ json: { success: true, data: {} } })),
      ready: heading('This page broke'),
    },
    {
      state: 'broken around the page',
      as: 'owner',
      ...NO_MEMBERS,
      breaks: async () => undefined,
      ready: heading('This page broke'),
    },
    {
      state: 'broken altogether',
      as: 'owner',
      breaks: breakProviders,
      ready: heading('Sendonce could not be shown'),
    },
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
  '/campaigns': [
    { state: 'full', as: 'owner', ready: text('Spring trade fair') },
    { state: 'empty', as: 'loner', ready: text('No campaigns yet') },
    {
      state: 'the archived too',
      as: 'member',
      ...PUT_AWAY,
      address: () => '/campaigns?archived=all',
      ready: text('Last summer'),
    },
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
  '/campaigns/people': [
    { state: 'full', as: 'owner', ready: text(', counted') },
    { state: 'empty', as: 'loner', ready: text('Nobody is in a campaign yet') },
    {
      state: 'blocked',
      as: 'member',
      address: () => '/campaigns/people?state=BLOCKED',
      ready: (page) => page.getByRole('button', { name: 'Fill it in' }).first(),
    },
    { state: 'of a sequence', as: 'owner', address: () => links.ofSequence, ready: text('fair30@example.com') },
    { state: 'nobody found', as: 'owner', address: () => '/campaigns/people?q=zz', ready: text('Nobody is like that') },
    { state: 'lost', as: 'owner', broken: '/api/enrolments*', ready: text('The server does not answer.') },
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
    { state: 'branching', as: 'owner', address: () => links.branched, ready: text('Next branch decided by') },
    { state: 'scheduled', as: 'owner', address: () => links.scheduled, ready: text('The plan, for its start') },
    { state: 'ended', as: 'owner', address: () => links.ended, ready: text('It is over') },
    { state: 'archived', as: 'member', ...PUT_AWAY, address: () => links.ended, ready: text('Archived on') },
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
      state: 'people, a path',
      as: 'owner',
      address: () => links.path,
      ready: text('What has happened, what is certain'),
    },
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
}
