import { describe, expect, test } from 'vitest'
import { type SourceFile, sourceFiles } from '#tests/support/source-files.ts'
import { ROOMS } from './rooms.ts'
import { tablesReadBy, tablesWrittenBy } from './tables-of.ts'

/** Written by triggers alone; they belong to the module whose tables the triggers watch. */
const WRITTEN_BY_TRIGGERS: Record<string, string> = {
  email_events: 'email-scheduler',
  email_count_changes: 'email-scheduler',
  people_count_changes: 'audience',
}

type Reading = { module: string; of: string; tables: readonly string[]; why: string }

/** Foreign tables that a module reads, of modules before it in the order of rooms. Its own it reads as it likes. */
const READINGS: readonly Reading[] = [
  {
    module: 'audience',
    of: 'tenancy',
    tables: ['workspaces', 'sending_settings'],
    why: 'addresses are hashed with the workspace’s key; a suppression locks the settings row that the mark shares; the page for readers who leave names the sender',
  },
  {
    module: 'tracking',
    of: 'events',
    tables: ['person_events'],
    why: 'a hit that is an event already is not written again: asked in the statement that would write it',
  },
  {
    module: 'actions',
    of: 'audience',
    tables: ['prospects'],
    why: 'a list of actions names the people that they are for',
  },
  {
    module: 'campaigns',
    of: 'tenancy',
    tables: ['sending_settings', 'members'],
    why: 'a launch says all that is wrong at once, from one look; a branch may notify members alone',
  },
  {
    module: 'campaigns',
    of: 'actions',
    tables: ['scheduled_actions'],
    why: 'the look for what wakes campaigns asks for what is due in the same statement; a start that is set already stays',
  },
  {
    module: 'campaigns',
    of: 'events',
    tables: ['person_events'],
    why: 'a wait is decided by the events of its person, in the statement that decides it',
  },
  {
    module: 'campaigns',
    of: 'audience',
    tables: ['prospects', 'prospect_lists'],
    why: 'enrolling chooses among a hundred thousand people by set, and asks of each whether email may go to them; a branch names lists',
  },
  {
    module: 'campaigns',
    of: 'sequences',
    tables: ['sequence_steps', 'sequences'],
    why: 'a campaign is over when every step has been planned, or where it branches when nobody is on the way',
  },
  {
    module: 'email-scheduler',
    of: 'tenancy',
    tables: ['sending_settings', 'workspaces', 'members', 'users'],
    why: 'window, quotas and retry policy are asked at the claim; what is told after a restore names the workspaces; the way of a person names the member who is told',
  },
  {
    module: 'email-scheduler',
    of: 'audience',
    tables: ['prospects', 'prospect_lists'],
    why: 'the final check asks of the recipient under lock, in one statement for many emails; lists name them; the way of a person names lists',
  },
  {
    module: 'email-scheduler',
    of: 'sequences',
    tables: ['sequences', 'sequence_steps'],
    why: 'merge fields and delays of the step are guards; what changes while an email is parked is locked with it',
  },
  {
    module: 'email-scheduler',
    of: 'actions',
    tables: ['scheduled_actions'],
    why: 'the way of a person tells when what they wait for is due',
  },
  {
    module: 'email-scheduler',
    of: 'campaigns',
    tables: ['campaigns', 'campaign_prospects', 'journeys', 'journey_steps'],
    why: 'what is come to by a branch counts from then; only what a running campaign has planned is claimed, marked and recovered: joined or locked in the same statement',
  },
  {
    module: 'mail',
    of: 'tenancy',
    tables: ['sending_settings', 'workspaces', 'encrypted_credentials'],
    why: 'a message shows the postal address; a domain is listed with whether its key is there',
  },
  {
    module: 'mail',
    of: 'audience',
    tables: ['prospects'],
    why: 'a batch of messages is rendered from one look',
  },
  {
    module: 'mail',
    of: 'sequences',
    tables: ['sequences', 'sequence_steps'],
    why: 'a batch of messages is rendered from one look',
  },
  {
    module: 'mail',
    of: 'campaigns',
    tables: ['campaigns'],
    why: 'a batch of messages is rendered from one look; whether they are tracked is the campaign’s to say',
  },
  {
    module: 'mail',
    of: 'email-scheduler',
    tables: ['scheduled_emails', 'email_contents', 'mailboxes'],
    why: 'a follow-up needs the thread of what was sent before it; a message comes from its mailbox',
  },
  {
    module: 'outbox',
    of: 'email-scheduler',
    tables: ['scheduled_emails', 'mailboxes'],
    why: 'an email is asked for by a key that the queue may hold already, and leaves by one of the workspace’s mailboxes',
  },
  {
    module: 'worker',
    of: 'email-scheduler',
    tables: ['server_sightings'],
    why: 'a heartbeat tells whether sending is held',
  },
  {
    module: 'operations',
    of: 'tenancy',
    tables: ['sending_settings', 'workspaces', 'members', 'users'],
    why: 'the doctor compares everything with everything; transactional email is counted workspace by workspace, from its index; a hold is lifted by who owns every workspace that would send; owners are told of what has happened',
  },
  {
    module: 'operations',
    of: 'audience',
    tables: ['prospects', 'prospect_lists', 'list_members', 'people_counts', 'people_count_changes'],
    why: 'the doctor compares everything with everything',
  },
  {
    module: 'operations',
    of: 'campaigns',
    tables: ['campaigns', 'campaign_prospects', 'journeys', 'journey_waits'],
    why: 'dashboard and metrics count; the doctor compares everything with everything',
  },
  {
    module: 'operations',
    of: 'email-scheduler',
    tables: [
      'scheduled_emails',
      'email_attempts',
      'email_contents',
      'email_events',
      'mailboxes',
      'mailbox_days',
      'workspace_days',
      'workspace_plans',
      'server_sightings',
      'email_counts',
      'email_count_changes',
    ],
    why: 'dashboard and metrics count; the doctor compares everything with everything',
  },
  {
    module: 'operations',
    of: 'sequences',
    tables: ['sequences', 'sequence_steps'],
    why: 'the overview of a new workspace ticks off what is there',
  },
  {
    module: 'operations',
    of: 'mail',
    tables: ['sending_domains'],
    why: 'the overview names the domains that want their record',
  },
  {
    module: 'operations',
    of: 'webhooks',
    tables: ['webhook_endpoints', 'webhook_deliveries'],
    why: 'the metrics count what has not arrived',
  },
  {
    module: 'operations',
    of: 'actions',
    tables: ['scheduled_actions', 'action_counts'],
    why: 'the metrics count; the doctor compares everything with everything',
  },
  { module: 'operations', of: 'worker', tables: ['worker_ticks'], why: 'the metrics tell when the last tick was' },
]

/** Against the order: a module that reads what comes after it. Each needs a reason why it cannot be handed in. */
const READINGS_AHEAD: readonly Reading[] = [
  {
    module: 'actions',
    of: 'campaigns',
    tables: ['campaigns'],
    why: 'what a pause holds is released by one statement when the campaign runs again; lists name the campaign',
  },
  {
    module: 'audience',
    of: 'campaigns',
    tables: ['campaign_prospects'],
    why: 'who has not been contacted is one condition of a filter, asked of a hundred thousand people at once',
  },
  {
    module: 'audience',
    of: 'email-scheduler',
    tables: ['scheduled_emails'],
    why: 'a bounce locks the settings of the bounced emails’ workspaces, before any other lock and so before the queue has read the emails; who has not been contacted is one condition of a filter',
  },
  {
    module: 'campaigns',
    of: 'email-scheduler',
    tables: ['scheduled_emails', 'mailboxes', 'email_attempts', 'email_counts', 'email_count_changes'],
    why: 'whether a campaign is over is asked and written in one statement, so that no email is planned or set going between; its two ledgers are of one moment; a launch says all that is wrong from one look; who was or may have been sent a step as a prospect merged into them has had it',
  },
]

const modules = [...new Set(ROOMS.map((room) => room.split('/')[0] ?? ''))]
const files = sourceFiles('src/lib').filter(({ path }) => !path.startsWith('src/lib/platform/generated/'))
const owners = ownersOfTables()

test('each table is written by one module', () => {
  const shared = [...owners]
    .filter(([, writers]) => writers.size > 1)
    .map(([table, writers]) => `${table}: ${[...writers].join(', ')}`)
  expect(shared).toEqual([])
})

test('nothing outside src/lib reads or writes a table', () => {
  const wrong = [...sourceFiles('src/app'), ...sourceFiles('src/components')].filter(
    ({ text }) => tablesWrittenBy(text).size + tablesReadBy(text).size > 0,
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

describe('tables of another module', () => {
  const listed = new Set([...READINGS, ...READINGS_AHEAD].flatMap(linesOf))
  const found = new Map<string, string>()
  for (const file of files) {
    for (const table of tablesReadBy(file.text)) {
      const owner = ownerOf(table)
      if (owner !== moduleOf(file)) found.set(`${moduleOf(file)} reads ${table} of ${owner}`, file.path)
    }
  }

  test('are read only by modules that are listed for it, with a reason', () => {
    expect([...found].filter(([line]) => !listed.has(line))).toEqual([])
  })

  test('that are listed as read are read', () => {
    expect([...listed].filter((line) => !found.has(line))).toEqual([])
  })

  test('are read against the order of rooms only where that list says so', () => {
    const isAhead = ({ module, of }: Reading) => modules.indexOf(of) > modules.indexOf(module)
    expect(READINGS.filter(isAhead)).toEqual([])
    expect(READINGS_AHEAD.filter((reading) => !isAhead(reading))).toEqual([])
  })
})

test('a reading is seen in every form in which the code writes one', () => {
  const text = `
    \`SELECT FROM campaigns WHERE true\`; \`SELECT 1 FROM prospects p, "mailboxes" AS m\`
    \`DELETE FROM list_members USING suppressions s\`; \`UPDATE freed_places SET x = 1 FROM
       workspace_plans w LEFT JOIN LATERAL (SELECT FROM mailbox_days) d ON true\`
    db.workspace.findMany(); const table = 'import_jobs'; \`SELECT FROM \${table}\``
  expect([...tablesReadBy(text)].sort()).toEqual([
    'campaigns',
    'import_jobs',
    'mailbox_days',
    'mailboxes',
    'prospects',
    'suppressions',
    'workspace_plans',
    'workspaces',
  ])
})

function ownersOfTables(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>(
    Object.entries(WRITTEN_BY_TRIGGERS).map(([table, owner]) => [table, new Set([owner])]),
  )
  for (const file of files) {
    for (const table of tablesWrittenBy(file.text))
      found.set(table, (found.get(table) ?? new Set()).add(moduleOf(file)))
  }
  return found
}

function ownerOf(table: string): string {
  return [...(owners.get(table) ?? [])].join(', ') || 'nobody'
}

function moduleOf({ path }: SourceFile): string {
  return path.split('/')[2] ?? ''
}

function linesOf({ module, of, tables }: Reading): string[] {
  return tables.map((table) => `${module} reads ${table} of ${of}`)
}
