import type { CONTRACT } from '#lib/contract/contract.ts'

type Tag = { name: string; description: string }

/** What each area of the contract is called in the reference, and what it is for. */
export const AREAS: Record<keyof typeof CONTRACT, Tag> = {
  emails: { name: 'Transactional email', description: 'One email to one person, at once or at a time.' },
  templates: { name: 'Templates', description: 'Texts with fields that are sent by their name.' },
  campaigns: { name: 'Campaigns', description: 'A sequence, sent to people at a human pace.' },
  enrolments: {
    name: 'People of a campaign',
    description: 'Who is in a campaign, and what keeps or has left them out.',
  },
  sequences: { name: 'Sequences', description: 'What is written: steps, their versions and their preview.' },
  journeys: { name: 'Ways through a sequence', description: 'Which way people go where a sequence branches.' },
  prospects: { name: 'Prospects', description: 'The people of the workspace’s contact book.' },
  events: { name: 'Events', description: 'What happened with people, and what your programs tell of them.' },
  lists: { name: 'Lists', description: 'Prospects, put together by hand.' },
  segments: { name: 'Segments', description: 'Saved filters; who is in one is asked anew each time.' },
  imports: { name: 'Imports', description: 'Prospects out of CSV files.' },
  suppressions: { name: 'Suppressions', description: 'Addresses and domains that nothing is sent to.' },
  outbox: { name: 'Email queue', description: 'Every email of the workspace, and what people decide about it.' },
  actions: {
    name: 'Scheduled actions',
    description: 'What is set for a time besides emails, and what admins do about it.',
  },
  mailboxes: { name: 'Mailboxes', description: 'Where emails are sent from.' },
  domains: { name: 'Domains', description: 'DNS records of sending domains.' },
  sendingSettings: { name: 'Sending settings', description: 'Window, quota, ramp-up and spacing.' },
  members: { name: 'Members', description: 'Who is in the workspace, and in which role.' },
  invitations: { name: 'Invitations', description: 'How people come into a workspace.' },
  apiKeys: { name: 'API keys', description: 'How programs come into a workspace.' },
  webhooks: { name: 'Webhooks', description: 'Addresses of your own that are told what happens, as it happens.' },
  workspaces: { name: 'Workspaces', description: 'Names, time zones and postal addresses.' },
  audit: { name: 'Audit log', description: 'Who did what, and from where.' },
  session: { name: 'Session', description: 'Signing in and out; for people.' },
  passwordReset: { name: 'Password reset', description: 'A new password by a link; for people.' },
  setup: { name: 'First run', description: 'The first owner of an installation.' },
  system: { name: 'System', description: 'Health, metrics, the overview, and the worker’s tick.' },
}
