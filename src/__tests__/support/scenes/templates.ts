import { links } from './places.ts'
import { field, type Scenes, text } from './scene.ts'

export const TEMPLATES: Scenes = {
  '/settings/templates': [
    { state: 'full', as: 'owner', ready: text('Table booked') },
    { state: 'empty', as: 'loner', ready: text('No template yet') },
    { state: 'archived', as: 'member', address: () => '/settings/templates?show=archived', ready: text('Old receipt') },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/settings/templates?q=nothing-like-it',
      ready: text('No template fits'),
    },
    { state: 'lost', as: 'owner', broken: '/api/templates?*', ready: text('The server does not answer.') },
    {
      state: 'making',
      as: 'member',
      ready: text('Table booked'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'New template…' }).click()
        await page.getByRole('dialog', { name: 'A new template' }).waitFor()
      },
    },
  ],
  '/settings/templates/[id]': [
    { state: 'full', as: 'member', address: () => links.template, ready: text('Your table on [day]') },
    { state: 'new', as: 'owner', address: () => links.newTemplate, ready: field('Text of the template') },
    {
      state: 'not there',
      as: 'owner',
      address: () => '/settings/templates/nowhere',
      ready: text('This template is not there'),
    },
    {
      state: 'archived',
      as: 'owner',
      address: () => links.archivedTemplate,
      ready: text('This template is archived'),
    },
    {
      state: 'lost',
      as: 'owner',
      address: () => links.template,
      broken: '/api/templates/*',
      ready: text('The server does not answer.'),
    },
    {
      state: 'sending a test',
      as: 'owner',
      address: () => links.template,
      ready: text('Your table on [day]'),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Send a test…' }).click()
        await page.getByRole('dialog', { name: 'Send yourself this template' }).waitFor()
      },
    },
  ],
}
