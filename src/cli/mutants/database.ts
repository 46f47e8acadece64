import { FINAL_CHECK, integration, MIGRATION, type Mutant, QUEUE } from './mutant.ts'

const LEFT_BEHIND = 'behind a pooler in transaction mode everything works, and nothing is left behind in a session'
const PUT_BACK = 'worker/put-back'
const RESTORED = 'worker/restored-dump'
const LIVES_THROUGH =
  'a worker that lives through a snapshot put back under it stops in the middle of its tick, and says so at the next'

/** What the database has to keep, and how it is spoken to. */
export const DATABASE: readonly Mutant[] = [
  {
    name: 'a dump restored on the same server is taken for the database seen last',
    file: MIGRATION,
    find: '',
    becomes: `CREATE OR REPLACE FUNCTION database_oids() RETURNS text LANGUAGE sql STABLE AS $$ SELECT '1/1' $$;\n`,
    test: integration(
      RESTORED,
      'a dump that is restored in place, with --clean, sends nothing again, and plain doctor says so before the first tick',
    ),
  },
  {
    name: 'a worker forgets its ticks',
    file: `${QUEUE}/moment.ts`,
    find: 'tick: Math.max(one.tick, other.tick)',
    becomes: 'tick: Math.max(0 * one.tick, 0 * other.tick)',
    test: integration(RESTORED, LIVES_THROUGH),
  },
  {
    name: 'a worker forgets how far the log was when it marked',
    file: `${QUEUE}/moment.ts`,
    find: 'position: Math.max(one.position, other.position)',
    becomes: 'position: Math.max(0 * one.position, 0 * other.position)',
    test: integration(
      PUT_BACK,
      'under a worker that lives within one tick: nothing goes out again, and the claim itself says so for all others',
    ),
  },
  {
    name: 'the mark does not ask whether the database has gone back',
    file: `${QUEUE}/guard-facts.ts`,
    find: 'sending_is_held($2, $3, $4)',
    becomes: 'sending_is_held($2 * 0, $3 * 0, $4 * 0)',
    test: integration(PUT_BACK, 'under a worker that lives between claim and mark: the mark refuses'),
  },
  {
    name: 'a worker that starts does not read how far the database was',
    file: 'src/lib/worker/witness.ts',
    find: '    if (kept) rememberMoment(this.#pool, kept, kept.tick)\n',
    becomes: '',
    test: integration(
      PUT_BACK,
      'while no worker lives the next one on this machine holds sending, and so does the doctor before it',
    ),
  },
  {
    name: 'the claim does not ask whether the database has gone back',
    file: `${QUEUE}/claim.ts`,
    find: 'WHERE NOT (SELECT sending_is_held($3, $4, $5))',
    becomes: 'WHERE NOT (SELECT sending_is_held($3 * 0, $4 * 0, $5 * 0))',
    test: integration(RESTORED, LIVES_THROUGH),
  },
  {
    name: 'what sending depends on does not ask for durable commits',
    file: MIGRATION,
    find: '',
    becomes:
      'CREATE OR REPLACE FUNCTION commit_durably() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;\n',
    test: integration(
      'worker/durability',
      'on a server that answers commits before they are on disk, a crash takes back no claim, mark, settlement or unsubscribe',
    ),
  },
  {
    name: 'statements have names behind a pooler',
    file: 'src/lib/platform/connections/pooler.ts',
    find: 'way.areNamesKept && !pooled.has(client) ? statement : withoutName(statement)',
    becomes: 'way.areNamesKept ? statement : withoutName(statement)',
    test: integration('platform/transaction-pooler', LEFT_BEHIND),
  },
  {
    name: 'a pooler is not found out',
    file: 'src/lib/platform/connections/pooler.ts',
    find: 'coalesce(pg_backend_pid() = $1::int8, false)',
    becomes: 'coalesce(pg_backend_pid() = $1::int8, false) OR true',
    test: integration('platform/transaction-pooler', LEFT_BEHIND),
  },
  {
    name: 'a connection that goes silent is never given up',
    file: 'src/lib/platform/connections/silence.ts',
    find: '  stream.setTimeout(silenceMsMax)\n',
    becomes: '',
    test: integration(
      'platform/silence',
      'a connection that goes silent is given up, in and outside a transaction, and another takes its place',
    ),
  },
  {
    name: 'a hold answers before the marks that had asked earlier are over',
    file: `${QUEUE}/hold.ts`,
    find: `  await inTransaction(pool, (tx) => tx.query('LOCK TABLE sending_settings IN EXCLUSIVE MODE'))\n`,
    becomes: '',
    test: integration(
      FINAL_CHECK,
      'once a hold has answered, nothing is marked any more: it waits for the marks that had asked before',
    ),
  },
  {
    name: 'a deadlock is not run again',
    file: 'src/lib/platform/database.ts',
    find: 'return againOnDeadlock(() => once(pool, work))',
    becomes: 'return Math.random() < 0 ? againOnDeadlock(() => once(pool, work)) : once(pool, work)',
    test: integration('deadlock', 'two transactions that wait for each other both come to their end'),
  },
  {
    name: 'who changes a campaign waits behind every mark',
    file: 'src/lib/campaigns/campaign.ts',
    find: `  await takeFairLock(tx, 'to change', [id])\n`,
    becomes: '  if (id === null) await takeFairLock(tx, id, [id])\n',
    test: integration('platform/fair-lock', 'while marks overlap without end, a campaign is changed in its turn'),
  },
  {
    name: 'who changes a time zone waits behind every mark',
    file: 'src/lib/tenancy/workspaces/change-workspace.ts',
    find: `  await takeFairLock(tx, 'to change', [workspaceId])\n`,
    becomes: '  if (workspaceId === null) await takeFairLock(tx, workspaceId, [workspaceId])\n',
    test: integration('platform/fair-lock', 'while marks overlap without end, the time zone is changed in its turn'),
  },
  {
    name: 'what no tick has added up yet is not counted',
    file: 'src/lib/audience/people-counts.ts',
    find: 'FROM people_count_changes WHERE owner_id',
    becomes: 'FROM people_counts WHERE false AND owner_id',
    test: integration(
      'audience/people-counts',
      'how many people there are who is archived is in no count, and back in all of them once restored',
    ),
  },
]
