import type { ClaimedAction } from '#lib/actions/claim.ts'
import { lockOwnActions, settleActions, type Verdict } from '#lib/actions/settle.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { CLOCK } from '#lib/tenancy/audit/audit.ts'
import { tellOfNotice } from '#lib/webhooks/tell-of-notice.ts'
import { runJourneyActions } from './journey-actions.ts'
import type { ActionMeans, TellMember } from './tell-member.ts'

/** Carries out actions of one campaign and one kind, in one commit with their completion. Answers how many. */
export function runPeopleActions({ pool, tellMember }: ActionMeans, batch: readonly ClaimedAction[]): Promise<number> {
  return inTransaction(pool, async (tx) => {
    switch (batch[0]?.type) {
      case 'ENROL':
        return eachOf(tx, batch, (action) => enrolElsewhere(tx, action))
      case 'REMIND':
        return eachOf(tx, batch, (action) => notify(tx, action, tellMember))
      case 'CANCEL':
        return eachOf(tx, batch, (action) => takeOut(tx, action))
      default:
        return runJourneyActions(tx, batch)
    }
  })
}

/** One after the other. What is not ours any more by the end takes the whole transaction back. */
async function eachOf(
  tx: Sql,
  batch: readonly ClaimedAction[],
  carryOut: (action: ClaimedAction) => Promise<Verdict>,
): Promise<number> {
  const judged = []
  for (const action of batch) judged.push({ action, verdict: await carryOut(action) })
  const mine = await lockOwnActions(tx, batch)
  if (mine.length !== batch.length) throw new Error('the lease of an action was lost')
  await settleActions(tx, judged)
  return judged.filter(({ verdict }) => verdict.kind === 'done').length
}

/** Into the campaign that their sequence has moved them to. Twice is once. Whom it does not take in is told so. */
async function enrolElsewhere(tx: Sql, { workspaceId, prospectId, payload }: ClaimedAction): Promise<Verdict> {
  await tx.query('SAVEPOINT enrolling')
  try {
    const told = await enrolProspects(tx, workspaceId, String(payload.campaignId), [prospectId ?? ''])
    if (told.enrolled + told.already > 0) return { kind: 'done' }
    return { kind: 'cancelled', reason: told.covered > 0 ? 'COVERED_THERE' : 'NOT_WANTED_THERE' }
  } catch (error) {
    if (!(error instanceof PublicError)) throw error
    // It takes nobody in: a person decides, and nothing tries again by itself.
    await tx.query('ROLLBACK TO SAVEPOINT enrolling')
    return { kind: 'dead', reason: 'CAMPAIGN_CLOSED' }
  }
}

async function notify(tx: Sql, action: ClaimedAction, tellMember: TellMember | undefined): Promise<Verdict> {
  const { workspaceId, campaignId, payload } = action
  if (!tellMember) throw new Error('this worker cannot tell members')
  const prospectId = action.prospectId ?? ''
  const notice = {
    workspaceId,
    campaignId,
    prospectId,
    personId: String(payload.personId),
    note: String(payload.note ?? ''),
  }
  await tellOfNotice(tx, { ...notice, nodeId: action.nodeId })
  const told = await tellMember(tx, notice)
  if (told === 'told') return { kind: 'done' }
  return { kind: 'dead', reason: told === 'no-such-member' ? 'NO_SUCH_MEMBER' : 'NO_SYSTEM_MAIL' }
}

async function takeOut(tx: Sql, { workspaceId, campaignId, enrolmentId }: ClaimedAction): Promise<Verdict> {
  const wish = { action: 'remove' as const, enrolmentIds: [enrolmentId ?? ''] }
  try {
    await changePeople(tx, workspaceId, campaignId, wish, CLOCK)
    return { kind: 'done' }
  } catch (error) {
    if (!(error instanceof PublicError)) throw error
    return { kind: 'cancelled', reason: 'CAMPAIGN_STOPPED' }
  }
}
