import pg from 'pg'

export type Sizes = { people: number; emails: number }

const PEOPLE_PER_INSERT = 20_000
const STEPS = 3

/**
 * What a workspace holds after a year: people in lists, half of them in one campaign whose emails are partly sent, the others
 * in two more; suppressions, segments, imports, versions and a long audit log. By SQL alone, since a year of it by the API
 * would take a day: what each row says is what the product writes.
 */
export async function fillWorkspace(databaseUrl: string, workspaceId: string, sizes: Sizes): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await fillPeople(client, workspaceId, sizes.people)
    await fillLists(client, workspaceId)
    await fillSequences(client, workspaceId)
    await fillEmails(client, workspaceId, Math.ceil(sizes.emails / STEPS))
    await fillRest(client, workspaceId)
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
}

async function fillPeople(client: pg.Client, workspaceId: string, people: number): Promise<void> {
  await client.query(
    `INSERT INTO mailboxes (id, workspace_id, address, display_name, kind, daily_limit, rolling_limit, updated_at)
     SELECT uuidv7(), $1, 'sales' || n || '@acme.test', 'Sales ' || n, 'SMTP', 1000, 5000, app_now() FROM generate_series(1, 20) n`,
    [workspaceId],
  )
  await client.query(
    `INSERT INTO mailbox_days (mailbox_id, local_date, reserved)
     SELECT id, current_date - day, 40 FROM mailboxes, generate_series(0, 60) day WHERE workspace_id = $1`,
    [workspaceId],
  )
  for (let from = 0; from < people; from += PEOPLE_PER_INSERT)
    await client.query(
      `INSERT INTO prospects (id, workspace_id, email, email_hash, first_name, last_name, company, custom_fields, paused_at,
         bounced_at, replied_at, updated_at)
       SELECT uuidv7(), $1, 'person' || n || '@example' || n % 5000 || '.test', sha256(n::text::bytea), 'Name' || n % 3000,
         'Surname ' || n, CASE WHEN n % 11 > 0 THEN 'Company ' || n % 900 END,
         jsonb_build_object('city', 'City ' || n % 300, 'customerNumber', n),
         CASE WHEN n % 97 = 0 THEN app_now() END, CASE WHEN n % 89 = 0 THEN app_now() END, CASE WHEN n % 31 = 0 THEN app_now() END,
         app_now()
       FROM generate_series($2::int, $3::int - 1) n`,
      [workspaceId, from, Math.min(from + PEOPLE_PER_INSERT, people)],
    )
  await client.query(`INSERT INTO prospect_fields (workspace_id, name) VALUES ($1, 'city'), ($1, 'customerNumber')`, [
    workspaceId,
  ])
  await client.query(
    `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source)
     SELECT uuidv7(), $1, 'ADDRESS', 'gone' || n || '@example.test', sha256(('gone' || n)::bytea), 'BOUNCE' FROM generate_series(1, 20000) n`,
    [workspaceId],
  )
}

/** One list of everybody, and a hundred of a hundredth each. */
async function fillLists(client: pg.Client, workspaceId: string): Promise<void> {
  await client.query(
    `INSERT INTO prospect_lists (id, workspace_id, name, updated_at)
     SELECT uuidv7(), $1, CASE n WHEN 0 THEN 'Everybody' ELSE 'List ' || n END, app_now() FROM generate_series(0, 100) n`,
    [workspaceId],
  )
  await client.query(
    `INSERT INTO list_members (list_id, prospect_id)
     SELECT l.id, p.id FROM prospect_lists l CROSS JOIN (SELECT id, 1 + row_number() OVER () % 100 AS part FROM prospects WHERE workspace_id = $1) p
     WHERE l.workspace_id = $1 AND (l.name = 'Everybody' OR l.name = 'List ' || p.part)`,
    [workspaceId],
  )
  await client.query(
    `INSERT INTO segments (id, workspace_id, name, filter) SELECT uuidv7(), $1, 'Segment ' || n, '{"lacks": "company"}' FROM generate_series(1, 20) n`,
    [workspaceId],
  )
}

/** A long list of sequences; the first three are what the campaigns send. */
async function fillSequences(client: pg.Client, workspaceId: string): Promise<void> {
  await client.query(
    `INSERT INTO sequences (id, workspace_id, name, launched_at, updated_at)
     SELECT uuidv7(), $1, 'Sequence ' || n, CASE WHEN n <= 3 THEN app_now() END, app_now() FROM generate_series(1, 200) n`,
    [workspaceId],
  )
  await client.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, subject, body_text, updated_at)
     SELECT uuidv7(), id, step, CASE WHEN step = 1 THEN 0 ELSE 3 END, CASE WHEN step = 1 THEN 'Hello {{firstName | "there"}}' ELSE '' END,
       repeat('A word for {{company | "you"}}. ', 30), app_now()
     FROM sequences, generate_series(1, ${STEPS}) step WHERE workspace_id = $1 AND name LIKE 'Sequence %'`,
    [workspaceId],
  )
  await client.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, launched_at, steps_planned, updated_at)
     SELECT uuidv7(), $1, id, 'Campaign of ' || name, 'RUNNING', app_now(), ${STEPS}, app_now()
     FROM sequences WHERE workspace_id = $1 AND launched_at IS NOT NULL ORDER BY id`,
    [workspaceId],
  )
}

/** Of ten people six have had the first step, one of them with an outcome that is not known, one failed for good. */
async function fillEmails(client: pg.Client, workspaceId: string, people: number): Promise<void> {
  await client.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps, mailbox_id)
     SELECT uuidv7(), $1, c.ids[CASE WHEN p.n % 2 = 0 THEN 1 ELSE 2 + p.n / 2 % 2 END], p.id, 'ACTIVE', app_now(), ${STEPS},
       m.ids[1 + p.n % cardinality(m.ids)]
     FROM (SELECT id, row_number() OVER (ORDER BY id)::int AS n FROM prospects WHERE workspace_id = $1 LIMIT $2) p,
       (SELECT array_agg(id ORDER BY id) AS ids FROM campaigns WHERE workspace_id = $1) c,
       (SELECT array_agg(id ORDER BY id) AS ids FROM mailboxes WHERE workspace_id = $1) m`,
    [workspaceId, people],
  )
  for (let step = 1; step <= STEPS; step += 1)
    await client.query(
      `WITH e AS (
         SELECT cp.*, c.sequence_id, ('x' || right(cp.prospect_id::text, 6))::bit(24)::int % 100 AS share,
           app_now() + ((($2::int - 1) * 3) || ' days')::interval AS at
         FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id WHERE cp.workspace_id = $1
       ), s AS (
         SELECT e.*, CASE
           WHEN $2 = 1 AND share < 60 THEN 'SENT'
           WHEN $2 = 1 AND share = 60 THEN 'OUTCOME_UNKNOWN'
           WHEN $2 = 1 AND share = 61 THEN 'PERMANENTLY_FAILED'
           WHEN share = 62 THEN 'CANCELLED'
           ELSE 'SCHEDULED' END::scheduled_email_status AS status
         FROM e)
       INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
         idempotency_key, status, scheduled_for, local_date, ready_at, lease_token, marked_token, accepted_token, submit_started_at,
         sent_at, cancelled_at, cancel_reason, last_error, last_error_code, attempts, updated_at)
       SELECT uuidv7(), workspace_id, campaign_id, id, prospect_id, sequence_id, $2, mailbox_id,
         prospect_id || ':' || sequence_id || ':' || $2, status,
         CASE WHEN status = 'SCHEDULED' THEN at + interval '1 day' ELSE at - interval '2 days' END, current_date + $2,
         CASE WHEN status = 'SCHEDULED' AND $2 = 1 THEN at + interval '1 day' END,
         tried, nullif(tried, 0), CASE WHEN status = 'SENT' THEN 1 END, CASE WHEN tried = 1 THEN at - interval '2 days' END,
         CASE WHEN status = 'SENT' THEN at - interval '2 days' END,
         CASE WHEN status = 'CANCELLED' THEN app_now() END, CASE WHEN status = 'CANCELLED' THEN 'PROSPECT_REPLIED' END,
         CASE WHEN status IN ('PERMANENTLY_FAILED', 'OUTCOME_UNKNOWN') THEN 'The server did not answer.' END,
         CASE WHEN status IN ('PERMANENTLY_FAILED', 'OUTCOME_UNKNOWN') THEN 'TIMEOUT' END, tried, app_now()
       FROM (SELECT s.*, (status IN ('SENT', 'OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED'))::int AS tried FROM s) t`,
      [workspaceId, step],
    )
  await client.query(
    `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome)
     SELECT id, 1, workspace_id, 1, 'bench', submit_started_at, submit_started_at, submit_started_at,
       (CASE status WHEN 'SENT' THEN 'ACCEPTED' WHEN 'OUTCOME_UNKNOWN' THEN 'UNKNOWN' ELSE 'REJECTED' END)::attempt_outcome
     FROM scheduled_emails WHERE workspace_id = $1 AND lease_token = 1`,
    [workspaceId],
  )
}

async function fillRest(client: pg.Client, workspaceId: string): Promise<void> {
  const {
    rows: [owner],
  } = await client.query<{ id: string }>(`SELECT user_id AS id FROM members WHERE workspace_id = $1 LIMIT 1`, [
    workspaceId,
  ])
  await client.query(
    `INSERT INTO import_jobs (id, workspace_id, fingerprint, options, encoding, delimiter, file_name, total_records, committed_records,
       created, created_by_id, finished_at)
     SELECT uuidv7(), $1, sha256(n::text::bytea), '{}', 'utf-8', ',', 'people' || n || '.csv', 1000, 1000, 1000, $2, app_now()
     FROM generate_series(1, 50) n`,
    [workspaceId, owner?.id],
  )
}
