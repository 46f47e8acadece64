import { type ActionReason, actionReasonSentence } from '#lib/actions/reasons.ts'
import type { ActionStatus } from '#lib/actions/states.ts'
import type { JourneyWord } from '#lib/campaigns/journeys/journey.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { JourneyState, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'
import { type CompiledGraph, compileGraph, type Target } from '#lib/sequences/graph/compile-graph.ts'
import { readKeptGraphs } from '#lib/sequences/graph/graph-versions.ts'
import type { SequenceGraph } from '#lib/sequences/graph/node-types.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { readSteps } from '#lib/sequences/steps.ts'
import { FORECAST_NOTE, forecastPath, itemOf, type NodeNames, type PathItem, type PersonPath } from './forecast-path.ts'
import { readNodeNames } from './node-names.ts'
import { type PersonStanding, readPersonStanding } from './person-standing.ts'

export type PreviewAsk = {
  graph?: SequenceGraph | undefined
  delays?: readonly { stepNumber: number; delayDays: number }[] | undefined
  startsAt?: Date | undefined
  happens: readonly string[]
  /** Whose way it is; nobody’s in particular where nothing is said. */
  prospectId?: string | undefined
}

/**
 * Which way a person would go who began now, or then: of what is saved, or of what stands in the editor. A chosen person goes
 * the way that is really theirs: who goes through the sequence already goes on in it, and who may not be written to gets nothing.
 */
export async function previewPath(sql: Sql, workspaceId: string, id: string, ask: PreviewAsk): Promise<PersonPath> {
  const sequence = await loadSequence(sql, workspaceId, id)
  const standing = ask.prospectId ? await readPersonStanding(sql, workspaceId, id, ask.prospectId) : NOBODY
  if (standing.goesThrough) {
    const { campaignId, enrolmentId } = standing.goesThrough
    const path = await readPersonPath(sql, workspaceId, campaignId, enrolmentId, ask.happens)
    return { ...path, notes: [...standing.notes, ...path.notes] }
  }
  if (standing.refused) return { ...EMPTY, left: standing.refused, notes: standing.notes }
  const graph = compileGraph(ask.graph ?? sequence.graph ?? inOneLine(sequence.steps))
  const settings = await readSendingSettings(sql, workspaceId)
  if (!settings) return { ...EMPTY, notes: ['The workspace has no sending settings; save them first.'] }
  const delays = new Map([...sequence.steps, ...(ask.delays ?? [])].map((step) => [step.stepNumber, step.delayDays]))
  const from = { target: graph.first, at: ask.startsAt ?? (await appNow(sql)), anchoredAt: null }
  const names = await readNodeNames(sql, workspaceId, graph)
  const calendar = calendarOf(settings)
  const items = forecastPath({ graph, calendar, delays, happens: new Set(ask.happens), names }, from)
  return { ...EMPTY, items, notes: [...standing.notes, FORECAST_NOTE] }
}

const NOBODY: PersonStanding = { refused: null, goesThrough: null, notes: [] }
const EMPTY: PersonPath = { items: [], standsAt: null, left: null, notes: [] }

/** A sequence without branches is its steps, one after the other. */
function inOneLine(steps: readonly { stepNumber: number }[]): SequenceGraph {
  return { nodes: steps.map(({ stepNumber }) => ({ id: `step-${stepNumber}`, type: 'email' as const, stepNumber })) }
}

type Enrolment = {
  sequenceId: string
  graphVersion: number | null
  state: JourneyState | null
  nodeId: string | null
  arrivedAt: Date | null
  anchoredAt: Date | null
  endedReason: string | null
  dueAt: Date | null
  /** Of the action that adds them to the campaign to which the sequence moves them. */
  moving: { status: ActionStatus; reason: string | null } | null
}

type Email = { stepNumber: number; status: ScheduledEmailStatus; at: Date }
type Step = { nodeId: string; what: JourneyWord; at: Date }

/** The way of one person of a campaign: what has happened, what is planned, and how it would go on if nothing happens. */
export async function readPersonPath(
  sql: Sql,
  workspaceId: string,
  campaignId: string,
  enrolmentId: string,
  happens: readonly string[] = [],
): Promise<PersonPath> {
  const { rows } = await sql.query<Enrolment>(
    `SELECT c.sequence_id AS "sequenceId", j.graph_version AS "graphVersion", j.state, j.node_id AS "nodeId", j.arrived_at AS "arrivedAt",
       j.anchored_at AS "anchoredAt", j.ended_reason AS "endedReason",
       (SELECT min(due_at) FROM scheduled_actions a WHERE a.enrolment_id = cp.id AND a.status IN ('PENDING', 'HELD')
         AND a.type IN ('WAIT', 'TIMEOUT') AND a.node_id = j.node_id) AS "dueAt",
       (SELECT jsonb_build_object('status', a.status, 'reason', a.reason) FROM scheduled_actions a
         WHERE a.enrolment_id = cp.id AND a.type = 'ENROL' AND a.round = j.round ORDER BY a.id DESC LIMIT 1) AS moving
     FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id LEFT JOIN journeys j ON j.enrolment_id = cp.id
     WHERE cp.workspace_id = $1 AND cp.campaign_id = $2 AND cp.id = $3`,
    [workspaceId, campaignId, enrolmentId],
  )
  const [enrolment] = rows
  if (!enrolment) throw notFound()
  const { rows: emails } = await sql.query<Email>(
    `SELECT step_number AS "stepNumber", status, coalesce(sent_at, next_retry_at, scheduled_for) AS at FROM scheduled_emails
     WHERE campaign_prospect_id = $1 ORDER BY step_number`,
    [enrolmentId],
  )
  const { rows: steps } = await sql.query<Step>(
    'SELECT node_id AS "nodeId", what, at FROM journey_steps WHERE enrolment_id = $1 ORDER BY id',
    [enrolmentId],
  )
  const settings = await readSendingSettings(sql, workspaceId)
  const graph = await graphOf(sql, enrolment)
  const names = await readNodeNames(sql, workspaceId, graph)
  const known = alongWhatIsKnown(graph, names, emails, steps, enrolment)
  const left = enrolment.state === 'ENDED' ? whyLeft(enrolment) : null
  const standsAt = enrolment.state === 'ENDED' ? null : enrolment.nodeId
  const isOver = enrolment.state === 'ENDED' || !settings
  const rest = isOver ? [] : await forecast(sql, graph, names, enrolment, settings, known, happens)
  return { items: [...known.items, ...rest], standsAt, left, notes: rest.length > 0 ? [FORECAST_NOTE] : [] }
}

/** Who was to be moved on is in the other campaign, or not yet, or never: the action that does it knows. */
function whyLeft({ endedReason, moving }: Enrolment): string | null {
  if (endedReason !== ('MOVED' satisfies ActionReason) || !moving) return actionReasonSentence(endedReason)
  const { status, reason } = moving
  if (status === 'COMPLETED') return 'The person was moved on to another campaign, and is in it.'
  if (status === 'CANCELLED' || status === 'DEAD')
    return `The person was to be moved on to another campaign, and was not. ${actionReasonSentence(reason) ?? ''}`.trim()
  return 'The person is about to be moved on to another campaign.'
}

async function graphOf(sql: Sql, { sequenceId, graphVersion }: Enrolment): Promise<CompiledGraph> {
  if (graphVersion === null) return compileGraph(inOneLine(await readSteps(sql, sequenceId)))
  return (await readKeptGraphs(sql, sequenceId, [graphVersion])).get(graphVersion) ?? compileGraph({ nodes: [] })
}

/** What is over and was not sent says so. */
const NOT_SENT: Partial<Record<ScheduledEmailStatus, string>> = {
  CANCELLED: ' It was cancelled.',
  FAILED: ' It failed.',
  PERMANENTLY_FAILED: ' It failed for good.',
  OUTCOME_UNKNOWN: ' It is not known whether it arrived.',
}

/** Written where a person stood last, and not of what was done there. */
const OF_THE_PERSON: ReadonlySet<JourneyWord> = new Set(['left', 'taken-up', 'ended'])

type Known = { items: PathItem[]; next: Target; at: Date | null; anchoredAt: Date | null }

/** Along the graph as far as it is known: emails by their rows, everything else by what was written down. */
function alongWhatIsKnown(
  graph: CompiledGraph,
  names: NodeNames,
  emails: readonly Email[],
  steps: readonly Step[],
  enrolment: Enrolment,
): Known {
  const emailOf = new Map(emails.map((email) => [email.stepNumber, email]))
  const stepOf = new Map(steps.flatMap((step) => (OF_THE_PERSON.has(step.what) ? [] : [[step.nodeId, step]])))
  const known: Known = { items: [], next: graph.first, at: enrolment.arrivedAt, anchoredAt: enrolment.anchoredAt }
  while (known.next !== null) {
    const found = graph.nodes.get(known.next)
    if (!found) return known
    const { node } = found
    const email = node.type === 'email' ? emailOf.get(node.stepNumber) : undefined
    const step = stepOf.get(node.id)
    if (node.type === 'email') {
      if (!email) return known
      const isOver = !['SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'].includes(email.status)
      const item = itemOf(node, { at: email.at, standing: isOver ? 'happened' : 'planned', side: null }, names)
      known.items.push({ ...item, sentence: `${item.sentence}${NOT_SENT[email.status] ?? ''}` })
      known.at = email.at
      known.anchoredAt = email.at
    } else if (step) {
      const side = step.what === 'yes' || step.what === 'no' ? step.what : null
      known.items.push(itemOf(node, { at: step.at, standing: 'happened', side }, names))
      known.at = step.at
      if (node.type === 'branch' && side === null) return known
      if ('onEvent' in found) {
        known.next = side === 'yes' ? found.onEvent : found.onTimeout
        continue
      }
    } else return known
    known.next = 'next' in found ? found.next : null
  }
  return known
}

async function forecast(
  sql: Sql,
  graph: CompiledGraph,
  names: NodeNames,
  { sequenceId, dueAt }: Enrolment,
  settings: SendingSettings,
  { next, at, anchoredAt }: Known,
  happens: readonly string[],
): Promise<PathItem[]> {
  const delays = new Map((await readSteps(sql, sequenceId)).map((step) => [step.stepNumber, step.delayDays]))
  const from = { target: next, at: at ?? (await appNow(sql)), anchoredAt }
  const calendar = calendarOf(settings)
  const items = forecastPath({ graph, calendar, delays, happens: new Set(happens), names }, from)
  const [first] = items
  // What the person waits for now has its time already.
  if (first && dueAt && (first.type === 'wait' || first.type === 'branch'))
    items[0] = { ...first, at: dueAt, standing: 'planned' }
  return items
}
