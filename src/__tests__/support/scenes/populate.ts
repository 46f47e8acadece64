import { type Guest, linkMailedTo } from '#tests/support/browser/guest.ts'
import { launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { links } from './places.ts'
import { populateActions } from './populate-actions.ts'
import { populateCampaigns } from './populate-campaigns.ts'
import { populatePeople } from './populate-people.ts'
import { populateWebhooks } from './populate-webhooks.ts'
import { type App, type Guests, LONG_EMAIL, LONG_NAME } from './scene.ts'

/** A workspace with everything in it, a second one, and people who may do more and less. */
export async function populate(app: App, guest: Guests): Promise<void> {
  const owner = guest('owner')
  await owner.setUp('olga@example.com', 'Acme')
  const invite = (host: Guest, email: string, role: string) =>
    host.ask<{ invitation: { id: string } }>('POST', '/api/invitations', { email, role })
  const join = async (as: Guest, email: string, name: string, role: string) => {
    await invite(owner, email, role)
    await as.join(await linkMailedTo(app, email), name)
  }
  await join(guest('admin'), 'adam@example.com', 'Adam Admin', 'admin')
  await join(guest('member'), LONG_EMAIL, LONG_NAME, 'member')
  await join(guest('loner'), 'loner@example.com', 'Loner', 'member')
  await join(guest('outcast'), 'outcast@example.com', 'Outcast', 'admin')

  // A workspace of one, with its zone about to change; and a person who is in no workspace any more.
  const elsewhere = await guest('loner').ask<{ id: string }>('POST', '/api/workspaces', {
    name: 'A second workspace whose name is far longer than any menu is wide',
    timeZone: 'Europe/Berlin',
  })
  await guest('loner').ask('PATCH', '/api/session', { workspaceId: elsewhere.id })
  await guest('loner').ask('PATCH', `/api/workspaces/${elsewhere.id}`, { timeZone: 'Asia/Tokyo' })
  const { members } = await owner.ask<{ members: { id: string; email: string }[] }>('GET', '/api/members')
  const idOf = (email: string) => members.find((member) => member.email === email)?.id
  await owner.ask('PATCH', `/api/members/${idOf('outcast@example.com')}`, { role: 'member' })
  for (const email of ['outcast@example.com', 'loner@example.com']) {
    await owner.ask('DELETE', `/api/members/${idOf(email)}`)
  }

  const suppress = (value: string, reason: string | null) => owner.ask('POST', '/api/suppressions', { value, reason })
  await suppress('competitor.example', null)
  await suppress('caller@example.com', 'asked by phone, and again in a letter of three pages')
  for (const value of [LONG_EMAIL, 'bounced@example.com']) await suppress(value, null)
  await app.sql(
    `UPDATE suppressions SET source = 'BOUNCE', created_by_email = NULL WHERE value = 'bounced@example.com'`,
  )
  await app.sql(`UPDATE suppressions SET source = 'UNSUBSCRIBE', created_by_email = NULL WHERE value = $1`, [
    LONG_EMAIL,
  ])

  const write = async (as: Guest, name: string, steps: object[]) =>
    (await as.ask<{ id: string }>('POST', '/api/sequences', { name, steps })).id
  const steps = [
    { subject: 'Your stand, {{firstName | "hello"}}', bodyHtml: '<p>Hi {{firstName}}, <strong>see you</strong></p>' },
    { delayDays: 3, bodyText: `{{nick}} ${LONG_EMAIL}` },
    {
      delayDays: 4,
      subject: 'LAST CHANCE',
      bodyHtml: '<table><tr><td><a href="https://example.com">click here</a></td></tr></table>',
    },
  ]
  const longName = 'A sequence whose name is as long as a name may be, which is a hundred characters and not one more.'
  links.sequence = `/sequences/${await write(owner, longName, steps)}`
  const launched = await write(owner, 'Launched', steps.slice(0, 1))
  links.launched = `/sequences/${launched}`
  await app.sql('UPDATE sequences SET launched_at = app_now() WHERE id = $1', [launched])
  links.archived = `/sequences/${await write(owner, 'Put away', [])}`
  await owner.ask('DELETE', `/api${links.archived}`)
  links.elsewhere = `/sequences/${await write(guest('loner'), 'New sequence', [{}])}`

  const template = async (body: object) =>
    `/settings/templates/${(await owner.ask<{ id: string }>('POST', '/api/templates', body)).id}`
  links.template = await template({
    name: 'Table booked',
    subject: 'Your table on {{custom.day}}',
    bodyHtml:
      '<p>Hello {{firstName | "there"}},</p><p>we look forward to seeing <strong>{{custom.guests}}</strong> of you on {{custom.day}}.</p><p>{{senderName}}</p>',
  })
  links.newTemplate = await template({ name: `A template whose name says what it is for, ${LONG_NAME}`.slice(0, 100) })
  links.archivedTemplate = await template({ name: 'Old receipt' })
  await owner.ask('DELETE', links.archivedTemplate.replace('/settings', '/api'))

  const mailbox = (address: string, port: number, more: object = {}) =>
    owner.ask('POST', '/api/mailboxes', {
      ...{ address, test: false, displayName: LONG_NAME, ...more },
      smtp: { host: '127.0.0.1', port, security: 'NONE', username: address, password: 'x' },
    })
  for (const address of ['sales@acme.test', 'warming@acme.test', 'limited@acme.test', LONG_EMAIL])
    await mailbox(address, 9)
  await app.sql(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE address <> $1`, [LONG_EMAIL])
  await app.sql(
    `UPDATE mailboxes SET stopped_reason = 'The mail server refused the user name or password. Enter them again; providers with two-step sign-in want an app password. It said: “535 5.7.8 Authentication failed”' WHERE address = $1`,
    [LONG_EMAIL],
  )
  await app.sql(
    `UPDATE mailboxes SET deferred_until = now() + interval '30 hours', pause_reason = 'Its daily limit at the provider is reached.' WHERE address = 'limited@acme.test'`,
  )
  const { id: domainId } = await owner.ask<{ id: string }>('POST', '/api/domains', { domain: 'acme.test' })
  await owner.ask('POST', '/api/domains', { domain: LONG_EMAIL.slice(LONG_EMAIL.indexOf('@') + 1) })
  const found = {
    dkim: { state: 'right', sentence: 'Receivers can check our signature.', found: 'v=DKIM1; k=rsa; p=x' },
    spf: { state: 'wrong', sentence: 'It does not name include:_spf.google.com.', found: 'v=spf1 -all' },
    dmarc: { state: 'missing', sentence: 'acme.test has no DMARC record.', found: null },
  }
  await app.sql('UPDATE sending_domains SET looked_at = now(), verified_at = now(), findings = $2 WHERE id = $1', [
    domainId,
    JSON.stringify(found),
  ])
  await app.sql(
    `INSERT INTO mailbox_days (mailbox_id, local_date, reserved)
     SELECT id, current_date - day, 12 FROM mailboxes CROSS JOIN generate_series(0, 8) AS day WHERE address = 'warming@acme.test'`,
  )

  const key = (name: string, scopes: string[], validDays: number | null) =>
    owner.ask<{ apiKey: { id: string } }>('POST', '/api/api-keys', { name, scopes, validDays })
  await key(LONG_NAME, ['read', 'send', 'admin'], 365)
  const { apiKey: expired } = await key('Old shop', ['send'], 30)
  const { apiKey: revoked } = await key('Leaked', ['send'], null)
  const { apiKey: orphaned } = await key('Booking site', ['send'], null)
  await populateWebhooks(app, owner)
  await owner.ask('DELETE', `/api/api-keys/${revoked.id}`)
  await app.sql(`UPDATE api_keys SET expires_at = now(), last_used_at = now() - interval '3 days' WHERE id = $1`, [
    expired.id,
  ])
  await app.sql(
    `UPDATE api_keys SET made_by_id = (SELECT id FROM users u WHERE NOT EXISTS (
       SELECT FROM members m WHERE m.user_id = u.id AND m.workspace_id = api_keys.workspace_id) LIMIT 1) WHERE id = $1`,
    [orphaned.id],
  )

  await owner.ask('POST', '/api/campaigns', { name: `A draft of ${LONG_NAME}`, sequenceId: await writeSequence(owner) })
  const { campaigns } = await owner.ask<{ campaigns: { id: string }[] }>('GET', '/api/campaigns')
  links.draft = `/campaigns/${campaigns[0]?.id}`
  await setUpSending(app, owner)
  await owner.ask('POST', '/api/prospects', { email: LONG_EMAIL.replace('@', '+2@') })
  for (const name of ['bo', 'cy']) await owner.ask('POST', '/api/prospects', { email: `${name}@example.com` })
  const running = await launchToAll(owner, [{ subject: 'Your stand', bodyText: 'A word.' }])
  await owner.ask('PATCH', `/api/campaigns/${running}`, { name: 'Spring trade fair' })
  links.running = `/campaigns/${running}`
  await spoilSome(app, owner)

  await populatePeople(app, owner)
  await populateCampaigns(app, owner)
  await populateActions(app, owner)

  await invite(owner, 'loner@example.com', 'member')
  links.known = await linkMailedTo(app, 'loner@example.com', 'Acme')
  const again = await invite(owner, 'new@example.com', 'admin')
  links.spent = await linkMailedTo(app, 'new@example.com')
  await owner.ask('POST', `/api/invitations/${again.invitation.id}/resend`)
  links.fresh = await linkMailedTo(app, 'new@example.com')
  await invite(owner, `new-${LONG_EMAIL}`, 'member')
  const late = await invite(owner, 'late@example.com', 'owner')
  await app.sql(`UPDATE invitations SET expires_at = created_at WHERE id = '${late.invitation.id}'`)
  for (const [email, became] of Object.entries(UNSENT)) {
    const { invitation } = await invite(owner, email, 'member')
    await app.sql(`BEGIN;
      SET LOCAL session_replication_role = replica;
      UPDATE scheduled_emails SET sent_at = NULL, ${became}
        WHERE id = (SELECT mail_id FROM invitations WHERE id = '${invitation.id}');
      SELECT recount_emails();
      COMMIT`)
  }
}

/** Whom a mail has not reached, each with what became of it. */
const UNSENT = {
  'waits@example.com': `status = 'RETRY_SCHEDULED', next_retry_at = app_now() + interval '1 day'`,
  'unknown@example.com': `status = 'OUTCOME_UNKNOWN'`,
  'unsent@example.com': `status = 'PERMANENTLY_FAILED', last_error_code = 'MESSAGE_REFUSED', last_error = 'It was refused.'`,
}

/** As servers leave them: one refused for good, one without an answer, the others waiting. */
async function spoilSome(app: App, owner: Guest): Promise<void> {
  const { emails } = await owner.ask<{ emails: { id: string }[] }>('GET', '/api/admin/outbox?part=waiting')
  ;[links.failed, links.unknown, links.waiting] = ['', '', ''].map((_, index) => emails[index]?.id ?? '') as [
    string,
    string,
    string,
  ]
  for (const [name, kind] of [
    [LONG_NAME, 'CAMPAIGN'],
    ['Of the shop', 'TRANSACTIONAL'],
  ] as const)
    await owner.ask('POST', '/api/admin/outbox/filters', { name, filter: { part: 'decide', kind } })
  const receipt = `jsonb_build_object('campaign-running', 'ok', 'sending-window', 'ok', 'workspace-quota', 'ok')`
  await app.sql(`BEGIN;
    SET LOCAL session_replication_role = replica;
    UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED', ready_at = NULL, attempts = 1, lease_token = 1, marked_token = 1,
      submit_started_at = app_now() - interval '1 hour', content_token = 1, last_error_code = 'MESSAGE_REFUSED',
      last_error = 'The mail server refused the message. Its answer says why.' WHERE id = '${links.failed}';
    UPDATE scheduled_emails SET status = 'OUTCOME_UNKNOWN', ready_at = NULL, attempts = 1, lease_token = 1, marked_token = 1,
      submit_started_at = app_now() - interval '1 hour', content_token = 1, last_error_code = 'TIMEOUT_AFTER_DATA',
      last_error = 'The mail server did not answer in time after the message was handed over.' WHERE id = '${links.unknown}';
    INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome,
      error_code, provider_text, receipt)
    SELECT id, 1, workspace_id, 1, 'worker-1', submit_started_at, submit_started_at, submit_started_at,
      CASE WHEN status = 'OUTCOME_UNKNOWN' THEN 'UNKNOWN' ELSE 'REJECTED' END::attempt_outcome, last_error_code,
      CASE WHEN status = 'OUTCOME_UNKNOWN' THEN NULL ELSE '554 5.6.0 This message is not wanted here' END, ${receipt}
    FROM scheduled_emails WHERE id IN ('${links.failed}', '${links.unknown}');
    INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject,
      body_text, body_html, message_id, date, headers)
    SELECT id, 1, workspace_id, 'Ann Acme', 'ann@acme.example', '', 'person@example.com', 'Your stand at ${LONG_NAME}', 'A word.',
      '<p>A <b>word</b> at <a href="https://acme.example/${'a-long-path/'.repeat(12)}">this address</a>.</p>',
      '<one@acme.example>', app_now(), '{"List-Unsubscribe": "<https://acme.example/u/…>"}'
    FROM scheduled_emails WHERE id IN ('${links.failed}', '${links.unknown}');
    SELECT recount_emails(), recount_people();
    COMMIT`)
}

async function writeSequence(owner: Guest): Promise<string> {
  const steps = [{ subject: 'Hello', bodyText: 'A word.' }]
  return (await owner.ask<{ id: string }>('POST', '/api/sequences', { name: 'Intro', steps })).id
}
