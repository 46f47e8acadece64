import { links } from './places.ts'
import { LONG_NAME, type Scene, type Scenes, text } from './scene.ts'

/** As if the data came from another server, in the middle of its work. */
const HELD: Pick<Scene, 'given' | 'undone'> = {
  given: async (app) => {
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
  undone: async (app) => {
    await app.sql('DELETE FROM server_sightings WHERE lifted_at IS NULL')
    await app.sql('UPDATE server_sightings SET server = database_server()')
  },
}

/** Found in the workspace with the campaigns, while a round is under way. */
const BROKEN: Pick<Scene, 'given' | 'undone'> = {
  given: async (app) => {
    await app.sql(
      `INSERT INTO promise_findings (invariant, key, walk, workspace_id)
       SELECT 'steps-in-order', id::text, 'emails', workspace_id FROM scheduled_emails WHERE kind = 'CAMPAIGN' LIMIT 3`,
    )
    await app.sql(
      `UPDATE promise_walks SET cursor = '00000000-0000-0000-0000-000000000000', round_rows = 1234, last_round_rows = 5678 WHERE walk = 'emails'`,
    )
    await app.sql(`UPDATE promise_walks SET trouble = 'invalid page' WHERE walk = 'enrolments'`)
  },
  undone: async (app) => {
    await app.sql('DELETE FROM promise_findings')
    await app.sql(`UPDATE promise_walks SET cursor = NULL, last_round_rows = 0, trouble = NULL`)
  },
}

export const QUEUE: Scenes = {
  '/admin/email-queue': [
    { state: 'full', as: 'owner', ready: text('Failed for good') },
    { state: 'empty', as: 'loner', ready: text('Nothing needs a decision') },
    {
      state: 'waiting',
      as: 'owner',
      address: () => '/admin/email-queue?tab=waiting',
      ready: (page) => page.getByRole('main').getByText('Scheduled', { exact: true }).first(),
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
    {
      state: 'saved filters',
      as: 'owner',
      address: () => '/admin/email-queue?kind=CAMPAIGN',
      ready: (page) => page.getByRole('button', { name: LONG_NAME }),
      afterwards: async (page) => {
        await page.getByRole('button', { name: LONG_NAME }).click()
        await page.getByRole('menuitem', { name: 'Remove' }).waitFor()
      },
    },
    {
      state: 'naming a filter',
      as: 'member',
      address: () => '/admin/email-queue?error=MESSAGE_REFUSED',
      ready: (page) => page.getByRole('button', { name: 'Saved filters' }),
      afterwards: async (page) => {
        await page.getByRole('button', { name: 'Saved filters' }).click()
        await page.getByRole('menuitem', { name: 'Save this filter…' }).click()
        await page.getByRole('dialog', { name: 'Save this filter' }).waitFor()
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
  '/admin/actions': [
    { state: 'full', as: 'owner', ready: text('Ends the wait of a person') },
    {
      state: 'needs a decision',
      as: 'admin',
      address: () => '/admin/actions?part=decide',
      ready: text('Failed for good'),
    },
    {
      state: 'nothing found',
      as: 'owner',
      address: () => '/admin/actions?part=cancelled&type=LOOK',
      ready: text('No action fits this filter'),
    },
    {
      state: 'empty',
      as: 'owner',
      address: () => '/admin/actions?part=cancelled',
      ready: text('Nothing was cancelled'),
    },
    {
      state: 'one that failed',
      as: 'owner',
      address: () => `/admin/actions?action=${links.deadAction}`,
      ready: (page) => page.getByRole('button', { name: 'Try again' }),
    },
    { state: 'a member', as: 'member', ready: text('Scheduled actions are for admins and owners') },
    { state: 'lost', as: 'owner', broken: '/api/admin/actions*', ready: text('The server does not answer.') },
  ],
  '/admin/held': [
    { state: 'not held', as: 'owner', ready: text('Nothing is held') },
    { state: 'held', as: 'owner', ...HELD, ready: (page) => page.getByRole('button', { name: 'Let sending go on…' }) },
    {
      state: 'behind a figure',
      as: 'owner',
      ...HELD,
      address: () => '/admin/held?behind=maybe-sent',
      ready: text('A person whose next email is not planned yet counts as one.'),
    },
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
    {
      state: 'behind a figure',
      as: 'owner',
      address: () => '/admin/promise?behind=were-unknown&way=open',
      ready: text(': still without evidence or a person’s word'),
    },
    { state: 'of others', as: 'loner', ...BROKEN, ready: text('The promise holds') },
    { state: 'held', as: 'member', ...HELD, ready: text('See why') },
    { state: 'lost', as: 'owner', broken: '/api/admin/promise', ready: text('The server does not answer.') },
  ],
}
