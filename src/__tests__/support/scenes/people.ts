import { pressPageKey, untilInMenu } from '#tests/support/browser/guest.ts'
import { people } from './places.ts'
import { heading, type Scenes, text } from './scene.ts'

const PASTED = `E-Mail\tVorname\tStadt\tKundennummer\tBemerkung, so lang wie man sie nur schreiben kann\n${'ada@example.com\tAda\tLondon\t4711\tDie erste\n'.repeat(3)}`

export const PEOPLE: Scenes = {
  '/prospects': [
    { state: 'full', as: 'owner', ready: text('fair30@example.com') },
    { state: 'empty', as: 'loner', ready: text('Nobody is here yet') },
    { state: 'a member', as: 'member', ready: text('fair30@example.com') },
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
      ready: text('fair30@example.com'),
      afterwards: async (page) => {
        await page.getByLabel('Select all that are loaded').check()
        await page.getByRole('button', { name: 'Add to list' }).waitFor()
      },
    },
    {
      state: 'choosing a condition',
      as: 'owner',
      ready: text('fair30@example.com'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
        await untilInMenu(page)
        await page.getByRole('menuitem', { name: 'A field is empty' }).press('ArrowRight')
        await page.getByRole('menuitem', { name: 'Company' }).waitFor()
      },
    },
    {
      state: 'adding',
      as: 'owner',
      ready: text('fair30@example.com'),
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
    {
      state: 'archived',
      as: 'owner',
      address: () => `/prospects/${people.archived}`,
      ready: (page) => page.getByRole('heading', { name: 'Archie' }),
    },
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
    {
      state: 'archive',
      as: 'owner',
      address: () => '/lists?show=archived',
      ready: text('Trade fair of last year'),
    },
    {
      state: 'archive, empty',
      as: 'loner',
      address: () => '/lists?show=archived',
      ready: text('Nothing is archived'),
    },
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
}
