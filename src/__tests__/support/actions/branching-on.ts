import type { TellMember } from '#lib/actions/run/tell-member.ts'
import { changeProspect, type ProspectChange } from '#lib/audience/prospects/change-prospect.ts'
import type { EnrolmentAction } from '#lib/campaigns/enrolment-actions.ts'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import type { PeopleChanged } from '#lib/email-scheduler/effects/change-people.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { GraphNode } from '#lib/sequences/graph/node-types.ts'
import { runTick } from '#lib/worker/tick.ts'
import {
  actionsOf,
  type Branching,
  enrolmentsOf,
  FORK,
  happens,
  makeBranching,
  sendAndMove,
  standsAt,
  stepsOf,
} from '#tests/support/data/branching.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, audienceOf } from '#tests/support/data/prospects.ts'
import type { TestDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

type Wanted = Parameters<typeof makeBranching>[2]

const KEY = makeKey('test')

/** The first of a campaign's people: of most there is one. */
export const first = ({ prospectIds }: Pick<Branching, 'prospectIds'>): string => prospectIds[0] ?? ''

/** Campaigns on sequences that branch in the database of a test file, and what is done with them; of people the first, if nobody is named. */
export function branchingOn(db: TestDatabase) {
  const on = {
    make: (nodes: GraphNode[] = FORK, wanted?: Wanted) => makeBranching(db.pool, nodes, wanted),

    /** Its first emails are sent, and everybody has come to what follows. */
    async sent(nodes: GraphNode[] = FORK, wanted?: Wanted): Promise<Branching> {
      const campaign = await on.make(nodes, wanted)
      await on.sendAndMove()
      return campaign
    },

    tick: (tellMember?: TellMember) => runTick(db.pool, 'test', silent, { tellMember }),
    sendAndMove: () => sendAndMove(db.pool),
    happens: (campaign: Branching, prospectId = first(campaign), what?: Parameters<typeof happens>[3]) =>
      happens(db.pool, campaign, prospectId, what),
    standsAt: (campaign: Branching, prospectId = first(campaign)) => standsAt(db.pool, campaign, prospectId),
    stepsOf: (campaign: Branching, prospectId = first(campaign)) => stepsOf(db.pool, campaign, prospectId),
    actionsOf: (campaign: Branching, ...types: string[]) => actionsOf(db.pool, campaign, ...types),
    enrolmentsOf: (campaign: Branching) => enrolmentsOf(db.pool, campaign),
    audienceOf: ({ workspaceId }: Branching): Promise<Audience> => audienceOf(db.pool, workspaceId, KEY),

    pause: ({ workspaceId, campaignId }: Branching) =>
      inTransaction(db.pool, (tx) => pauseCampaign(tx, workspaceId, campaignId, actor)),
    resume: ({ workspaceId, campaignId }: Branching) =>
      inTransaction(db.pool, (tx) => resumeCampaign(tx, workspaceId, campaignId, actor)),

    async change(campaign: Branching, wanted: ProspectChange): Promise<void> {
      const { workspaceId, hash, consequences } = await on.audienceOf(campaign)
      const id = first(campaign)
      await inTransaction(db.pool, (tx) => changeProspect(tx, workspaceId, hash, id, wanted, actor, consequences))
    },

    /** All of them, in this campaign alone. */
    async people(campaign: Branching, action: EnrolmentAction): Promise<PeopleChanged> {
      const { workspaceId, campaignId } = campaign
      const enrolmentIds = await on.enrolmentsOf(campaign)
      return inTransaction(db.pool, (tx) => changePeople(tx, workspaceId, campaignId, { action, enrolmentIds }, actor))
    },
  }
  return on
}
