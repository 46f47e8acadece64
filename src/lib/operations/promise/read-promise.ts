import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { INVARIANTS } from '../doctor/invariants.ts'
import { WALKS, type Walk, type WalkName } from '../doctor/walks.ts'
import { KEPT_MAX } from './findings.ts'
import { readWorkspaceLedgers, type WorkspaceLedgers } from './ledgers.ts'
import { readSettledUnknowns, type SettledUnknowns } from './settled-unknowns.ts'
import { type FindingSubject, readSubjects } from './subjects.ts'
import { readWalks } from './walk-state.ts'

export type WatchedLook = {
  /** What is gone through: emails, enrolments… Empty where it is asked of the installation as a whole. */
  unit: string | null
  /** How far the present round is; `ofRows` is what the last one had, where there was one. */
  rows: number
  ofRows: number | null
  isUnderWay: boolean
  lookedAt: Date | null
  roundEndedAt: Date | null
  /** It could not be read when it was last tried; the log says why. */
  isTroubled: boolean
}

export type WatchedInvariant = {
  name: string
  holds: string
  sentence: string
  cure: string
  looks: WatchedLook[]
  /** Up to `findingsMax`: where it comes to that, there may be more. */
  findings: (FindingSubject & { foundAt: Date; seenAt: Date })[]
  /** It does not hold in another workspace either, and nobody may rely on it. */
  isFoundElsewhere: boolean
}

export type PromiseView = {
  now: Date
  lookedAt: Date | null
  findingsMax: number
  invariants: WatchedInvariant[]
  ledgers: WorkspaceLedgers
  /** Emails that a provider is known to have accepted. */
  accepted: number
  unknowns: SettledUnknowns
}

/** What is known of the promise, for the people of one workspace: what was found elsewhere is not told. */
export async function readPromise(sql: Sql, workspaceId: string): Promise<PromiseView> {
  const [now, walks, ledgers, unknowns, found, elsewhere] = await Promise.all([
    appNow(sql),
    readWalks(sql),
    readWorkspaceLedgers(sql, workspaceId),
    readSettledUnknowns(sql, workspaceId),
    readFound(sql, workspaceId),
    foundElsewhere(sql, workspaceId),
  ])
  const subjects = await readSubjects(sql, workspaceId, found)
  const looked = walks.flatMap(({ lookedAt }) => (lookedAt ? [lookedAt.getTime()] : []))
  return {
    ...{ now, ledgers, unknowns, findingsMax: KEPT_MAX },
    lookedAt: looked.length > 0 ? new Date(Math.max(...looked)) : null,
    accepted: acceptedOf(ledgers, unknowns),
    invariants: INVARIANTS.map(({ name, holds, sentence, cure, looks }) => ({
      ...{ name, holds, sentence, cure },
      looks: looks.flatMap(({ over }) => {
        const walk = walks.find((one) => one.walk === over)
        return walk ? [lookOf(walk)] : []
      }),
      findings: found.flatMap(({ invariant, walk, key, foundAt, seenAt }) => {
        const subject = invariant === name ? subjects.get(`${walk} ${key}`) : undefined
        return subject ? [{ ...subject, foundAt, seenAt }] : []
      }),
      isFoundElsewhere: elsewhere.has(name),
    })),
  }
}

/** What a person takes as delivered is sent, and nobody knows whether it was accepted. */
function acceptedOf({ emails, transactional }: WorkspaceLedgers, { ways }: SettledUnknowns): number {
  return Math.max(0, emails.SENT + transactional.SENT - ways.delivered)
}

/** The number that the page says, for the list behind it. */
export async function countAccepted(sql: Sql, workspaceId: string): Promise<number> {
  const [ledgers, unknowns] = await Promise.all([
    readWorkspaceLedgers(sql, workspaceId),
    readSettledUnknowns(sql, workspaceId),
  ])
  return acceptedOf(ledgers, unknowns)
}

function lookOf(walk: Awaited<ReturnType<typeof readWalks>>[number]): WatchedLook {
  const { cursor, roundRows, lastRoundRows, lookedAt, lastRoundEndedAt, trouble } = walk
  const isUnderWay = cursor !== null
  return {
    unit: walk.walk === 'installation' ? null : (WALKS[walk.walk] satisfies Walk).unit,
    rows: isUnderWay ? roundRows : (lastRoundRows ?? 0),
    ofRows: lastRoundRows,
    ...{ isUnderWay, lookedAt, roundEndedAt: lastRoundEndedAt, isTroubled: trouble !== null },
  }
}

type FoundRow = { invariant: string; walk: WalkName; key: string; foundAt: Date; seenAt: Date }

async function readFound(sql: Sql, workspaceId: string): Promise<FoundRow[]> {
  const { rows } = await sql.query<FoundRow>(
    `SELECT invariant, walk, key, found_at AS "foundAt", seen_at AS "seenAt" FROM promise_findings
     WHERE workspace_id = $1 OR workspace_id IS NULL ORDER BY found_at, key`,
    [workspaceId],
  )
  return rows
}

/** Only that it is so, and only of what concerns everybody. */
async function foundElsewhere(sql: Sql, workspaceId: string): Promise<Set<string>> {
  const names = INVARIANTS.filter(({ concernsAll }) => concernsAll).map(({ name }) => name)
  const { rows } = await sql.query<{ invariant: string }>(
    `SELECT DISTINCT invariant FROM promise_findings WHERE invariant = ANY($2) AND workspace_id <> $1`,
    [workspaceId, names],
  )
  return new Set(rows.map(({ invariant }) => invariant))
}

/** How many of each were found, for those who must act on it; none where it is the installation's. A hold has a place of its own. */
export async function countBroken(sql: Sql, workspaceId: string): Promise<{ name: string; count: number }[]> {
  const { rows } = await sql.query<{ name: string; count: number }>(
    `SELECT invariant AS name, count(workspace_id)::int AS count FROM promise_findings
     WHERE (workspace_id = $1 OR workspace_id IS NULL) AND invariant <> 'sending-is-not-held' GROUP BY 1`,
    [workspaceId],
  )
  return rows
}
