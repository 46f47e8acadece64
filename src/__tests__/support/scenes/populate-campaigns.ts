import type { Guest } from '#tests/support/browser/guest.ts'
import { links } from './places.ts'
import { type App, LONG_NAME } from './scene.ts'

/** One with everything in it after a week of sending, one that starts tomorrow, and one that is over with failures. */
export async function populateCampaigns(app: App, owner: Guest): Promise<void> {
  const { mailboxes } = await owner.ask<{ mailboxes: { id: string; address: string }[] }>('GET', '/api/mailboxes')
  const ann = mailboxes.find(({ address }) => address === 'ann@acme.example')?.id
  await owner.ask('PATCH', `/api/mailboxes/${ann}`, { dailyLimit: 6 })
  const prospectIds: string[] = []
  for (let n = 1; n <= 30; n += 1) {
    const company = n > 4 ? { company: n === 5 ? LONG_NAME : `Company ${n}` } : {}
    const body = { email: `fair${n}@example.com`, firstName: n === 6 ? LONG_NAME : `Fay ${n}`, ...company }
    const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', body)
    prospectIds.push(prospect.id)
  }
  const make = async (name: string, step: object, whom: string[], launch: object) => {
    const steps = [step, { delayDays: 3, bodyText: 'Again.' }]
    const sequence = await owner.ask<{ id: string }>('POST', '/api/sequences', { name: `For ${name}`, steps })
    const body = { name, sequenceId: sequence.id }
    const { id } = await owner.ask<{ id: string }>('POST', '/api/campaigns', body)
    await owner.ask('PATCH', `/api/campaigns/${id}`, { mailboxIds: [ann] })
    await owner.ask('POST', `/api/campaigns/${id}/prospects`, { prospectIds: whom })
    await owner.ask('POST', `/api/campaigns/${id}/launch`, launch)
    return id
  }
  const full = await make('Autumn trade fair', { subject: 'To {{company}}', bodyText: 'A word.' }, prospectIds, {})
  links.full = `/campaigns/${full}`
  const { sequenceId } = await owner.ask<{ sequenceId: string }>('GET', `/api/campaigns/${full}`)
  links.ofSequence = `/campaigns/people?sequence=${sequenceId}`
  const { enrolments } = await owner.ask<{ enrolments: { id: string }[] }>(
    'GET',
    `/api/campaigns/${full}/prospects?state=ACTIVE`,
  )
  const ids = enrolments.map(({ id }) => id)
  const change = (action: string, enrolmentIds: string[]) =>
    owner.ask('POST', `/api/campaigns/${full}/prospects/bulk`, { action, enrolmentIds })
  await change('pause', ids.slice(0, 3))
  await change('remove', ids.slice(3, 5))
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
  const plain = { subject: 'Hello', bodyText: 'A word.' }
  links.scheduled = `/campaigns/${await make('Winter greetings', plain, prospectIds.slice(0, 9), { scheduledAt })}`
  const ended = await make('Last summer', plain, prospectIds.slice(10, 20), {})
  links.ended = `/campaigns/${ended}`
  await app.sql(`SET session_replication_role = replica;
    ${asAfterAWeek(full, [9, 2, 1, 2])}
    ${asAfterAWeek(ended, [16, 3, 0, 0])}
    UPDATE scheduled_emails SET status = 'CANCELLED', ready_at = NULL, cancelled_at = app_now(), cancel_reason = 'BY_PERSON'
      WHERE campaign_id = '${ended}' AND status = 'SCHEDULED';
    UPDATE campaign_prospects SET state = 'FINISHED' WHERE campaign_id = '${ended}';
    UPDATE campaigns SET status = 'SENT' WHERE id = '${ended}';
    SELECT recount_emails(), recount_people()`)
}

/** Of a campaign's emails some sent, failed for good, unknown and waiting to retry. */
function asAfterAWeek(campaignId: string, counts: readonly [number, number, number, number]): string {
  const failed = `last_error_code = 'MESSAGE_REFUSED', last_error = 'The mail server refused the message for good. It said: 550 5.7.1'`
  const assignments = [
    `status = 'SENT', sent_at = app_now() - interval '2 hours'`,
    `status = 'PERMANENTLY_FAILED', ${failed}`,
    `status = 'OUTCOME_UNKNOWN', lease_token = 1, marked_token = 1, submit_started_at = app_now()`,
    `status = 'RETRY_SCHEDULED', attempts = 1, next_retry_at = app_now() + interval '15 minutes'`,
  ]
  return assignments
    .map(
      (assignment, index) =>
        `UPDATE scheduled_emails SET ready_at = NULL, ${assignment} WHERE id IN (SELECT id FROM scheduled_emails
           WHERE campaign_id = '${campaignId}' AND status = 'SCHEDULED' AND blocker IS NULL
           ORDER BY step_number, id LIMIT ${counts[index]});`,
    )
    .join('\n')
}
