import { links } from './places.ts'
import { field, heading, type Scenes, text } from './scene.ts'

export const WEBHOOKS: Scenes = {
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
}
