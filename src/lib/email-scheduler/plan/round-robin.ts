import type pg from 'pg'
import { campaignsBehind } from '#lib/campaigns/appended.ts'
import { loadCampaign } from '#lib/campaigns/campaign.ts'
import { campaignsToPlan } from '#lib/campaigns/unplanned.ts'
import type { Log } from '#lib/platform/log.ts'
import { type AppendResult, appendBatch } from './append-steps.ts'
import { planBranchBatch } from './branch-batch.ts'
import { workspacesToReplan } from './plan-lock.ts'
import { PlanningSession } from './planning-session.ts'
import { replanWorkspace } from './replan.ts'
import { scheduleBatch } from './schedule-batch.ts'

type Run = {
  log: Log
  mayContinue(): boolean
  /** Called after each batch: what it planned may be due at once. */
  onProgress?(): void
}

/** Campaigns that start while others are being planned get their turns beside them: looked for after this many batches. */
const LOOK_AGAIN_BATCHES = 4

export type Turns = {
  scheduled: number
  appended: number
  replanned: number
  /** What keeps campaigns from being planned, a sentence each. */
  errors: string[]
  /** Time ran out; the next tick goes on. */
  isUnfinished: boolean
}

/**
 * Plans what is left of every running campaign, one batch for each in turn, so that none waits for another to end. What
 * waits under an older plan comes first: it has its turn already.
 */
export async function planRoundRobin(pool: pg.Pool, { log, mayContinue, onProgress }: Run): Promise<Turns> {
  const session = new PlanningSession()
  const turns: Turns = { scheduled: 0, appended: 0, replanned: 0, errors: [], isUnfinished: false }
  for (const workspaceId of await workspacesToReplan(pool)) {
    if (!mayContinue()) break
    turns.replanned += await replanWorkspace(pool, workspaceId, { log, mayContinue, session }).catch(
      (error: unknown) => {
        log.error({ error, workspaceId }, 'planning again failed')
        turns.errors.push('Planning again failed on our side; the next tick tries again.')
        return 0
      },
    )
    session.forget(workspaceId)
  }
  for (const campaign of await campaignsBehind(pool)) {
    const batch = campaign.by === 'branches' ? planBranchBatch : appendBatch
    turns.appended += await batchAfterBatch(pool, session, campaign, batch, mayContinue).catch((error: unknown) => {
      log.error({ error, campaignId: campaign.id }, 'planning later steps failed')
      turns.errors.push('Planning later steps failed on our side; the next tick tries again.')
      return 0
    })
  }
  const queue = await campaignsToPlan(pool)
  const seen = new Set(queue.map(({ id }) => id))
  let batches = 0
  for (let next = queue.shift(); next; next = queue.shift()) {
    batches += 1
    if (batches % LOOK_AGAIN_BATCHES === 0) {
      for (const campaign of await campaignsToPlan(pool)) if (!seen.has(campaign.id)) queue.push(campaign)
      for (const { id } of queue) seen.add(id)
    }
    if (!mayContinue()) {
      turns.isUnfinished = true
      break
    }
    const { id, workspaceId } = next
    const campaign = await loadCampaign(pool, workspaceId, id)
    if (!campaign) continue
    const result = await session
      .inTransaction(pool, workspaceId, (tx) => scheduleBatch(tx, session, campaign, log))
      .catch((error: unknown) => {
        // One campaign's bug must not keep the others from their turns; its batch was taken back, and the next tick tries again.
        log.error({ error, campaignId: id }, 'a batch failed')
        return { kind: 'impossible', sentence: 'Planning failed on our side; the next tick tries again.' } as const
      })
    if (result.kind === 'planned') turns.scheduled += result.scheduled
    if (result.kind === 'replanned') turns.replanned += result.emails
    if (result.kind === 'impossible') turns.errors.push(`${campaign.name}: ${result.sentence}`)
    onProgress?.()
    if (result.kind === 'planned' || result.kind === 'replanned') queue.push(next)
    else if (!queue.some((other) => other.workspaceId === workspaceId)) session.forget(workspaceId)
  }
  return turns
}

async function batchAfterBatch(
  pool: pg.Pool,
  session: PlanningSession,
  campaign: { id: string; workspaceId: string },
  batch: typeof appendBatch,
  mayContinue: () => boolean,
): Promise<number> {
  let appended = 0
  let afterId: string | null = null
  while (mayContinue()) {
    const from: string | null = afterId
    const result: AppendResult = await session.inTransaction(pool, campaign.workspaceId, (tx) =>
      batch(tx, session, campaign, from),
    )
    if (result.kind !== 'appended') break
    appended += result.scheduled
    afterId = result.lastId
  }
  return appended
}
