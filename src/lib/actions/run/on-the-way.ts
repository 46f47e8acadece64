import type { NewAction } from '#lib/actions/schedule.ts'
import { changeMembers } from '#lib/audience/change-members.ts'
import { setField } from '#lib/audience/prospects/set-field.ts'
import { recheckProspects } from '#lib/campaigns/blocked.ts'
import type { Journey, NewStep } from '#lib/campaigns/journeys/journey.ts'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Passed } from '#lib/sequences/graph/walk.ts'

/** People who come through a node at which something is done at once. */
export type PassedBy = { node: Passed; people: Journey[] }

type Done = { steps: NewStep[]; actions: NewAction[] }

/**
 * What is done on the way, for all who come through at once; the people are locked. What could fail by itself (a mail to a
 * member) is set as an action of its own, in this transaction: nobody stands still for it.
 */
export async function doOnTheWay(tx: Sql, workspaceId: string, passed: readonly PassedBy[]): Promise<Done> {
  const done: Done = { steps: [], actions: [] }
  const changed: string[] = []
  for (const { node, people } of passed) {
    const ids = people.map(({ prospectId }) => prospectId)
    const tell = (word: (person: Journey) => NewStep['what']) =>
      done.steps.push(...people.map((person) => ({ ...placeOf(person), nodeId: node.id, what: word(person) })))
    if (node.type === 'set-field') {
      const set = await setField(tx, workspaceId, ids, node.field, node.value)
      changed.push(...set)
      tell(({ prospectId }) => (set.has(prospectId) ? 'field-set' : 'field-not-set'))
    } else if (node.type === 'notify') {
      const payload = { personId: node.personId, note: node.note }
      done.actions.push(...people.map((person) => ({ ...followingFrom(person, 'REMIND', node.id), payload })))
      tell(() => 'notified')
    } else {
      const isAdding = node.type === 'add-to-list'
      const isThere = await changeMembers(tx, workspaceId, isAdding ? 'add' : 'remove', node.listId, ids)
      tell(() => (isThere ? (isAdding ? 'list-joined' : 'list-left') : 'list-gone'))
    }
  }
  if (changed.length > 0) {
    await recheckProspects(tx, workspaceId, changed)
    await unpark(tx, workspaceId, { prospectIds: changed }, 'merge-fields-complete')
  }
  return done
}

const placeOf = ({ enrolmentId, round }: Journey) => ({ enrolmentId, round })

/** What a person has come to and is done beside their way. */
export function followingFrom(person: Journey, type: 'REMIND' | 'ENROL', nodeId: string): NewAction {
  const { enrolmentId, campaignId, prospectId, round } = person
  const dedupeKey = `${type === 'REMIND' ? 'remind' : 'enrol'}:${enrolmentId}:${nodeId}:${round}`
  return { type, dedupeKey, campaignId, enrolmentId, prospectId, nodeId, round }
}
