import { links } from './places.ts'
import { heading, healthy, LONG_EMAIL, LONG_NAME, type Scenes, text } from './scene.ts'

/** Before the founder has come. */
export const FIRST_RUN: Scenes = {
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

export const ACCOUNT: Scenes = {
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
}
