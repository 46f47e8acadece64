import { actions, journeys } from './actions.ts'
import { campaigns } from './campaigns.ts'
import { emails, templates } from './emails.ts'
import { enrolments } from './enrolments.ts'
import { events } from './events.ts'
import { imports } from './import.ts'
import { lists, segments } from './lists.ts'
import { domains, mailboxes } from './mailboxes.ts'
import { outbox } from './outbox.ts'
import { apiKeys, invitations, members } from './people.ts'
import { prospects } from './prospects.ts'
import { sequences } from './sequences.ts'
import { passwordReset, session, setup } from './session.ts'
import { sendingSettings } from './settings.ts'
import { suppressions } from './suppressions.ts'
import { system } from './system.ts'
import { webhooks } from './webhooks.ts'
import { audit, workspaces } from './workspaces.ts'

/** Every operation of the API, by area. */
export const CONTRACT = {
  actions,
  apiKeys,
  audit,
  campaigns,
  domains,
  emails,
  enrolments,
  events,
  imports,
  invitations,
  journeys,
  lists,
  mailboxes,
  members,
  outbox,
  passwordReset,
  prospects,
  segments,
  sendingSettings,
  sequences,
  session,
  setup,
  suppressions,
  system,
  templates,
  webhooks,
  workspaces,
}

type Areas = typeof CONTRACT

type AnyOperation = { [Area in keyof Areas]: Areas[Area][keyof Areas[Area]] }[keyof Areas]

/** By method and path, as `GET /api/lists/[id]`: the name under which pages call an operation. */
export type Operations = { [One in AnyOperation as `${One['method']} ${One['path']}`]: One }
