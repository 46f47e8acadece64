import type pg from 'pg'
import { createCampaign } from '#lib/campaigns/draft.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { launchCampaign } from '#lib/campaigns/launch.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { silent } from '#tests/support/silent.ts'
import { actor } from './people.ts'
import { makeProspects } from './prospects.ts'
import { makeWorkspace, type WorkspaceWanted } from './workspaces.ts'

export const always = { log: silent, mayContinue: () => true }

export const textOf = (delayDays: number) => ({ delayDays, subject: 'Hello', bodyText: 'A word.', bodyHtml: '' })

export type Draft = { workspaceId: string; campaignId: string; sequenceId: string; prospectIds: string[] }

type Options = WorkspaceWanted & { workspaceId?: string; sequenceId?: string; batchSize?: number }

/** A draft that lacks nothing, made by the product's own verbs. */
export async function makeDraft(
  pool: pg.Pool,
  prospects: number,
  delays: number[],
  { settings, batchSize = 50, ...options }: Options = {},
): Promise<Draft> {
  const workspaceId =
    options.workspaceId ??
    (await makeWorkspace(pool, { ...options, settings: { postal_address: '1 High Street', ...settings } })).workspaceId
  const prospectIds = await makeProspects(pool, workspaceId, prospects)
  return inTransaction(pool, async (tx) => {
    const sequenceId =
      options.sequenceId ?? (await createSequence(tx, workspaceId, { name: 'Welcome', steps: delays.map(textOf) })).id
    const { id } = await createCampaign(tx, workspaceId, { name: 'Spring', sequenceId, batchSize })
    if (prospects > 0) await enrolProspects(tx, workspaceId, id, prospectIds)
    return { workspaceId, campaignId: id, sequenceId, prospectIds }
  })
}

export function launch(pool: pg.Pool, { workspaceId, campaignId }: Draft, at: Date | null = null) {
  return inTransaction(pool, (tx) => launchCampaign(tx, workspaceId, campaignId, at, actor))
}
