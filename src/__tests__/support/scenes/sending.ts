import { heading, LONG_EMAIL, type Scenes, text } from './scene.ts'

export const SENDING: Scenes = {
  '/mailboxes': [
    { state: 'full', as: 'owner', ready: text('535 5.7.8 Authentication failed') },
    { state: 'empty', as: 'loner', ready: heading('There is no mailbox yet') },
    { state: 'a member', as: 'member', ready: text('535 5.7.8 Authentication failed') },
    { state: 'lost', as: 'owner', broken: '/api/mailboxes', ready: text('The server does not answer.') },
    {
      state: 'behind a figure',
      as: 'owner',
      address: () => '/mailboxes?behind=mailbox-used&mailbox=00000000-0000-4000-8000-000000000000&date=2026-11-19',
      ready: text('What may have been sent counts as well'),
    },
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
      state: 'no Google project',
      as: 'owner',
      address: () => '/mailboxes?do=gmail',
      ready: text('This installation has no Google project yet'),
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
  '/mailboxes/gmail': [
    { state: 'nothing to connect', as: 'owner', ready: text('There is nothing to connect here.') },
    { state: 'a member', as: 'member', ready: text('Only admins and owners connect mailboxes.') },
    {
      state: 'not agreed',
      as: 'owner',
      address: () => '/mailboxes/gmail?error=access_denied&state=x',
      ready: text('You did not agree at Google'),
    },
    {
      state: 'refused',
      as: 'owner',
      address: () => '/mailboxes/gmail?code=x&state=x',
      ready: text('This installation has no Google project yet.'),
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
        await page.getByRole('dialog').locator('input[aria-invalid="true"]').waitFor()
      },
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
}
