import { PROSPECT_STATES, type ProspectState } from '#lib/audience/prospect.ts'
import { IMPORT_OUTCOMES, type ImportOutcome } from '#lib/audience/prospect-filter.ts'
import type { Sent } from '#lib/contract/over-the-wire.ts'

/** As the API takes it. */
export type ProspectFilter = NonNullable<Sent<'GET /api/prospects/count'>['query']>

/** The name of each condition in the page's address. */
const PARAM = {
  search: 'q',
  listId: 'list',
  state: 'state',
  contacted: 'contacted',
  has: 'has',
  lacks: 'lacks',
  importId: 'import',
  outcome: 'outcome',
} as const satisfies Record<keyof ProspectFilter, string>

export const FILTER_PARAMS: readonly string[] = [...Object.values(PARAM), 'segment']

export const PEOPLE_PER_PAGE = 100

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const FIELD = /^[a-zA-Z][a-zA-Z0-9_]{0,49}$/

type Params = { get(name: string): string | null }

/** What the address asks for; what makes no sense there is left out. */
export function filterIn(params: Params): ProspectFilter {
  const text = (name: keyof typeof PARAM, fits: (value: string) => boolean) => {
    const value = params.get(PARAM[name])?.trim()
    return value && fits(value) ? value : undefined
  }
  const isUuid = (value: string) => UUID.test(value)
  const isField = (value: string) => FIELD.test(value)
  return {
    search: text('search', () => true)?.slice(0, 200),
    listId: text('listId', isUuid),
    state: text('state', isState) as ProspectState | undefined,
    contacted: text('contacted', (value) => value === 'yes' || value === 'no') as 'yes' | 'no' | undefined,
    has: text('has', isField),
    lacks: text('lacks', isField),
    importId: text('importId', isUuid),
    outcome: text('outcome', isOutcome) as ImportOutcome | undefined,
  }
}

/** The other way round: the address of a filter. Every condition stands in it, so that one that is not meant goes. */
export function paramsOf(filter: ProspectFilter): Record<string, string | null> {
  const names = Object.entries(PARAM) as [keyof typeof PARAM, string][]
  return Object.fromEntries(names.map(([name, param]) => [param, filter[name] ?? null]))
}

export function isNarrowed(filter: ProspectFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** Two filters that ask for the same have the same key. */
export function keyOf(filter: ProspectFilter): string {
  return JSON.stringify(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )
}

function isState(value: string): value is ProspectState {
  return Object.hasOwn(PROSPECT_STATES, value)
}

function isOutcome(value: string): value is ImportOutcome {
  return IMPORT_OUTCOMES.some((known) => known === value)
}
