import {
  FIRST_MOVE_PEOPLE,
  isToMovePeople,
  type MaybeSent,
  type MaybeSentPage,
  type MaybeSentSum,
  readMaybeSent,
  sumMaybeSent,
} from '#lib/email-scheduler/read/after-restore.ts'
import { type Hold, liftHold, readHold, readHoldFacts, wasLifted } from '#lib/email-scheduler/send/hold.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { isAtLeast, type Role } from '#lib/tenancy/roles.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'

/** What tells one database from another, and is another now; `moment`: it is the same one, at an earlier state. */
export type HoldChange = {
  what: 'system' | 'timeline' | 'database' | 'table' | 'moment'
  before: string | null
  now: string | null
}

export type Held = Hold & {
  changes: HoldChange[]
  lastSeenAt: Date | null
  lastLiftedAt: Date | null
  /** Why this person cannot let sending go on; empty where they can. */
  cannotLift: string | null
}

type Asking = { workspace: { id: string; name: string }; person: { id: string }; role: Role }

/** Is sending held, and why. Every page asks this every few seconds, so it reads next to nothing. */
export async function readHeld(sql: Sql, { workspace, person, role }: Asking): Promise<Held> {
  const [hold, facts, isSharedWithOthers] = await Promise.all([
    readHold(sql),
    readHoldFacts(sql),
    hasForeignSenders(sql, person.id),
  ])
  const { server, oids, lastSeenAt, lastLiftedAt } = facts
  const changes = hold.isHeld ? changesOf(hold, server, oids) : []
  return {
    ...{ ...hold, changes, lastSeenAt, lastLiftedAt },
    cannotLift: hold.isHeld ? await whyNotLift(sql, workspace.name, role, hold, isSharedWithOthers) : null,
  }
}

export type HeldGroup = Pick<MaybeSent, 'doubt' | 'emails' | 'from' | 'to'> & {
  campaign: { id: string; name: string } | null
  mailbox: { id: string; address: string }
}

/** What `npm run doctor -- --after-restore` shows, of one workspace. */
export async function readHeldGroups(
  sql: Sql,
  { limit, ...page }: MaybeSentPage,
): Promise<{ total: MaybeSentSum; groups: HeldGroup[]; nextCursor: string | null }> {
  const [total, found] = await Promise.all([
    sumMaybeSent(sql, page.workspaceId),
    readMaybeSent(sql, { ...page, limit: limit + 1 }),
  ])
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    total,
    groups: shown.map(({ campaignId, campaign, mailboxId, mailbox, doubt, emails, from, to }) => ({
      campaign: campaignId === null ? null : { id: campaignId, name: campaign ?? '' },
      mailbox: { id: mailboxId, address: mailbox },
      ...{ doubt, emails, from, to },
    })),
    nextCursor:
      found.length > limit && last
        ? [last.from.toISOString(), last.campaignId ?? 'none', last.mailboxId, last.doubt].join('_')
        : null,
  }
}

/**
 * On an owner's word, all workspaces of this installation send again: so it must be an owner of each that has mailboxes.
 * `since` is the hold that they have looked at. What was done is kept in the audit log of each of these workspaces.
 */
export async function liftByOwner(
  tx: Sql,
  { workspace, person, role, actor, since }: Asking & { actor: Actor; since: Date },
): Promise<{ done: true }> {
  const hold = await readHold(tx)
  if (!hold.isHeld) {
    if (await wasLifted(tx, since)) return { done: true }
    throw new PublicError(409, 'not-held', 'Sending is not held: there is nothing to lift.')
  }
  const isForeign = await hasForeignSenders(tx, person.id)
  const why = await whyNotLift(tx, workspace.name, role, hold, isForeign)
  if (why !== null) throw new PublicError(isAtLeast(role, 'owner') && !isForeign ? 409 : 403, 'cannot-lift', why)
  const { emails } = await sumMaybeSent(tx, workspace.id)
  if (!(await liftHold(tx, actor.email, since))) {
    // Another owner was quicker, or this one pressed twice.
    if (await wasLifted(tx, since)) return { done: true }
    throw new PublicError(
      409,
      'hold-changed',
      'Another hold has begun since you looked. Look once more at what may have been sent.',
    )
  }
  for (const workspaceId of new Set([workspace.id, ...(await sendersOf(tx, person.id))]))
    await recordAudit(tx, workspaceId, {
      action: 'sending.hold-lifted',
      actor,
      target: { kind: 'sending', id: null, name: 'Sending' },
      details: { since: since.toISOString(), ...(workspaceId === workspace.id && { emailsInDoubt: emails }) },
    })
  return { done: true }
}

async function whyNotLift(
  sql: Sql,
  workspaceName: string,
  role: Role,
  hold: Hold,
  isSharedWithOthers: boolean,
): Promise<string | null> {
  if (!isAtLeast(role, 'owner'))
    return `Only an owner can let sending go on; you are ${role === 'admin' ? 'an admin' : 'a member'} of ${workspaceName}. Ask an owner.`
  if (isSharedWithOthers)
    return 'This installation sends for workspaces that you do not own, and they would send again as well. An owner of all of them can let sending go on, or who runs the server: npm run doctor -- --after-restore --lift'
  if (hold.since === null)
    return 'The next tick writes down what may have been sent. After that you can let sending go on.'
  return (await isToMovePeople(sql)) ? FIRST_MOVE_PEOPLE : null
}

/** The product's own mail has no owner who could be asked, and goes on with the rest. */
const SENDS = `w.id <> '${SYSTEM_WORKSPACE_ID}' AND EXISTS (
  SELECT FROM mailboxes m WHERE m.workspace_id = w.id AND m.status <> 'ARCHIVED')`
const OWNS = `EXISTS (SELECT FROM members o WHERE o.workspace_id = w.id AND o.user_id = $1 AND o.role = 'owner')`

async function hasForeignSenders(sql: Sql, personId: string): Promise<boolean> {
  const { rows } = await sql.query<{ yes: boolean }>(
    `SELECT EXISTS (SELECT FROM workspaces w WHERE ${SENDS} AND NOT ${OWNS}) AS yes`,
    [personId],
  )
  return rows[0]?.yes ?? true
}

async function sendersOf(sql: Sql, personId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT w.id FROM workspaces w WHERE ${SENDS} AND ${OWNS} ORDER BY w.id`,
    [personId],
  )
  return rows.map(({ id }) => id)
}

type Pair = { before: string | null; now: string | null }

function changesOf({ reason }: Hold, server: Pair, oids: Pair): HoldChange[] {
  if (reason === 'WENT_BACK') return [{ what: 'moment', before: null, now: null }]
  if (reason === 'BY_PERSON') return []
  const part = ({ before, now }: Pair, index: number) => ({
    before: before?.split('/')[index] ?? null,
    now: now?.split('/')[index] ?? null,
  })
  const all: HoldChange[] = [
    { what: 'system', ...part(server, 0) },
    { what: 'timeline', ...part(server, 1) },
    { what: 'database', ...part(oids, 0) },
    { what: 'table', ...part(oids, 1) },
  ]
  return all.filter(({ before, now }) => before !== now)
}
