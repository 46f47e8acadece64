import { links } from './places.ts'
import { field, type Scenes, text } from './scene.ts'

export const SEQUENCES: Scenes = {
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
      state: 'with branches',
      as: 'owner',
      address: () => links.branching,
      ready: text('The email of step 1.'),
    },
    {
      state: 'with branches that are not complete',
      as: 'owner',
      address: () => links.unfinishedBranches,
      ready: text('A sequence begins with an email'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: /^Add a wait, branch or action$/ }).click()
        await page.getByRole('menuitem', { name: 'Wait' }).waitFor()
      },
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
      afterwards: async (page, guests) => {
        await page.getByLabel('Name of the sequence').fill('Renamed by me')
        await guests('admin').ask('PATCH', `/api${links.launched}`, { name: `By Adam ${crypto.randomUUID()}` })
        await page.getByText('saved this sequence while you were writing').waitFor()
      },
    },
  ],
}
